import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { z } from 'zod';
import type { Db } from '../db/index.ts';
import type { Roster } from './roster.ts';
import type { Session } from './session.ts';
import * as store from './store.ts';

/** What the gateway hears from the bus and tells the database, beside the streams themselves. */
export interface Watch {
  start(): Promise<void>;
  /** An agent came to or left a Location: plan again; other gateways drop older sessions of it. */
  tellPlanner(
    locationNos: readonly number[],
    session?: { readonly agentNo: number; readonly sessionId: string },
  ): Promise<void>;
  /** Writes a session's end, now or as soon as the database is back. */
  ended(session: Session): void;
  close(): Promise<void>;
}

const tickMs = 4_000;
const plansEveryTicks = 8;
/** An agent not heard for this long by a gateway that is gone is Away; agents are heard every 10 s. */
const silentUs = 45_000_000;
/** After an outage of the database other gateways need a moment to say whom they hear. */
const calmTicks = 5;
const closeWithinMs = 2_500;

const agentNos = z.object({ agent_nos: z.array(z.int()) });
const agentNo = z.object({ agent_no: z.int() });

/** Makes the watch. */
export function createWatch({
  db,
  clock,
  log,
  controllerId,
  roster,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly roster: Roster;
}): Watch {
  const kysely = db.kysely;
  const startedUs = clock.nowUs();
  const ending = new AbortController();
  const listening = new AsyncDisposableStack();
  const toClose = new Set<Session>();
  let looping: Promise<void> | undefined;
  let closingRows: Promise<void> = Promise.resolve();
  let calm = 0;

  const tellPlanner: Watch['tellPlanner'] = async (locationNos, session) => {
    if (locationNos.length > 0) await db.notify(kysely, 'vantage_catalog', { location_nos: locationNos });
    if (session) await db.notify(kysely, 'vantage_session', { agent_no: session.agentNo });
  };

  /** Ends sessions that are not the agent's present one any more, or whose agent is revoked. */
  const review = async (sessions: readonly Session[]) => {
    if (sessions.length === 0) return;
    const rows = await store.sessionsOf(
      kysely,
      sessions.map((session) => session.agent.agentNo),
    );
    const byAgent = new Map(rows.map((row) => [row.agent_no, row]));
    for (const session of sessions) {
      const row = byAgent.get(session.agent.agentNo);
      if (!row || row.state === 'Revoked') session.end(Goodbye_Reason.REVOKED, 'this agent was revoked');
      else if (row.session_id !== session.sessionId)
        session.end(Goodbye_Reason.REPLACED, 'a newer session of this agent came');
      else if (row.state === 'Away' && !session.ended)
        // Others took this controller for dead, after a stall: its spans are closed, so the agent begins anew.
        session.end(Goodbye_Reason.SHUTDOWN, 'this controller was away: connect again');
    }
  };

  const reviewSoon = (sessions: readonly Session[]) => {
    review(sessions).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'sessions cannot be reviewed; the next turn will');
    });
  };

  const closeRows = async () => {
    for (const session of toClose) {
      const { agent, sessionId, lastHeardUs } = session;
      await store.closeSession(kysely, { agentNo: agent.agentNo, sessionId, toUs: lastHeardUs });
      toClose.delete(session);
      log.info({ agentNo: agent.agentNo, sessionId }, 'agent disconnected');
      await tellPlanner([agent.locationNo]);
    }
  };

  const tick = async (count: number) => {
    const nowUs = clock.nowUs();
    await store.recordController(kysely, { id: controllerId, startedUs, nowUs });
    const sessions = roster.all();
    await store.recordHeard(
      kysely,
      sessions.flatMap((session) => session.takeHeard() ?? []),
    );
    await closeRows();
    await review(sessions);
    for (const no of await store.agentsWithOrders(
      kysely,
      sessions.map((session) => session.agent.agentNo),
      nowUs,
    ))
      roster.get(no)?.poke('orders');
    if (count % plansEveryTicks === 0) for (const session of sessions) session.poke('plan');
    if (calm >= calmTicks)
      await tellPlanner(await store.sweepAway(kysely, { nowUs, silentBeforeUs: nowUs - silentUs }));
  };

  const loop = async () => {
    for (let count = 1; !ending.signal.aborted; count += 1) {
      await clock.sleep(tickMs, ending.signal).catch(() => {});
      if (ending.signal.aborted) return;
      try {
        await tick(count);
        calm += 1;
      } catch (error) {
        if (calm > 0) log.warn({ error: messageOf(error) }, 'the gateway cannot reach the database');
        calm = 0;
      }
    }
  };

  const withPayload = <T>(
    schema: z.ZodType<T>,
    payload: string | undefined,
    use: (value: T | undefined) => void,
  ) => {
    if (payload === undefined) {
      use(undefined);
      return;
    }
    const parsed = schema.safeParse(readJson(payload));
    if (parsed.success) use(parsed.data);
  };
  const sessionsFor = (nos: readonly number[] | undefined) =>
    nos === undefined ? roster.all() : nos.flatMap((no) => roster.get(no) ?? []);

  return {
    tellPlanner,
    async start() {
      await store.recordController(kysely, { id: controllerId, startedUs, nowUs: startedUs });
      await tellPlanner(
        await store.sweepAway(kysely, { nowUs: startedUs, silentBeforeUs: 0, gatewayId: controllerId }),
      );
      const listen = async (channel: string, handler: (payload: string | undefined) => void) => {
        listening.use(await db.listen(channel, handler));
      };
      await listen('vantage_plan', (payload) =>
        withPayload(agentNos, payload, (told) => {
          for (const session of sessionsFor(told?.agent_nos)) session.poke('plan');
        }),
      );
      await listen('vantage_order', (payload) =>
        withPayload(agentNo, payload, (told) => {
          for (const session of sessionsFor(told && [told.agent_no])) session.poke('orders');
        }),
      );
      await listen('vantage_revoked', (payload) =>
        withPayload(agentNos, payload, (told) => reviewSoon(sessionsFor(told?.agent_nos))),
      );
      await listen('vantage_session', (payload) =>
        withPayload(agentNo, payload, (told) => reviewSoon(sessionsFor(told && [told.agent_no]))),
      );
      looping = loop();
    },
    ended(session) {
      toClose.add(session);
      closingRows = closingRows.then(closeRows).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, "a session's end is written later");
      });
    },
    async close() {
      ending.abort();
      const until = clock.monoMs() + closeWithinMs;
      while (roster.all().length > 0 && clock.monoMs() < until) await clock.sleep(20);
      await Promise.race([closingRows, clock.sleep(Math.max(0, until - clock.monoMs()))]);
      await looping;
      await listening.disposeAsync();
    },
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
