import { type Clock, createJobParts, type Logger, messageOf } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { type Db, doEach, publish } from '../db/index.ts';
import { goodbyeOf } from './goodbye.ts';
import type { RunRequests } from './run-request-feed.ts';
import type { Session } from './session.ts';
import type { SessionRegistry } from './session-registry.ts';
import { createStatusWriter } from './status-writer.ts';
import * as store from './store.ts';

/** Applies notifications to the sessions, and stores which agents are connected to this controller. */
export interface PresenceMonitor {
  start(): Promise<void>;
  /** Notifies the planner of these Locations, and other gateways of the new session: they end older sessions of the agent. */
  notifyPlanner(
    locationNos: readonly number[],
    session?: { readonly agentNo: number; readonly sessionId: string },
  ): Promise<void>;
  /** Writes a session's end, now or as soon as the database is back. */
  ended(session: Session): void;
  close(): Promise<void>;
}

const tickMs = 4_000;
const plansEveryTicks = 8;
/** An agent is Away when its gateway ended and did not hear from it for this long. Agents send a heartbeat every 10 s. */
const silentUs = 45_000_000;
/** After an outage of the database other gateways need a moment to store which agents they hear. */
const minQuietTicks = 5;
const closeWithinMs = 2_500;

/** Makes the monitor. */
export function createPresenceMonitor({
  db,
  clock,
  log,
  controllerId,
  registry,
  runRequests,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly registry: SessionRegistry;
  readonly runRequests: RunRequests;
}): PresenceMonitor {
  const kysely = db.kysely;
  const startedUs = clock.nowUs();
  const ending = new AbortController();
  const listening = new AsyncDisposableStack();
  const toClose = new Set<Session>();
  const status = createStatusWriter({ kysely, log });
  const parts = createJobParts({
    log,
    failed: 'the gateway cannot reach the database',
    recovered: 'the gateway reaches the database again',
  });
  let looping: Promise<void> | undefined;
  let closingRows: Promise<void> = Promise.resolve();
  let quietTicks = 0;

  const notifyPlanner: PresenceMonitor['notifyPlanner'] = async (locationNos, session) => {
    await publish(kysely, 'catalog', { location_nos: locationNos });
    if (session) await publish(kysely, 'session', { agent_no: session.agentNo });
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
      const banned =
        !row || row.state === 'Revoked' ? 'revoked' : row.state === 'Fenced' ? 'fenced' : undefined;
      if (!row || banned !== undefined) {
        const { reason, text } = goodbyeOf(banned ?? 'revoked', session.agent.agentId);
        session.end(reason, text);
      } else if (row.session_id !== session.sessionId)
        session.end(Goodbye_Reason.REPLACED, 'a newer session of this agent came');
      else if (row.state === 'Away' && !session.ended)
        // Other controllers closed the spans of this one, because it stalled. The agent must open a new session.
        session.end(Goodbye_Reason.SHUTDOWN, 'this controller was away: connect again');
    }
  };

  const reviewSoon = (sessions: readonly Session[]) => {
    review(sessions).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'sessions cannot be reviewed now; the next review is within 4 s');
    });
  };

  const closeRows = async () => {
    for (const session of toClose) {
      const { agent, sessionId, lastContactUs } = session;
      const refused = await doEach([session], () =>
        store.closeSession(kysely, { agentNo: agent.agentNo, sessionId, toUs: lastContactUs }),
      );
      toClose.delete(session);
      for (const { error } of refused)
        log.warn(
          { agentNo: agent.agentNo, sessionId, error: messageOf(error) },
          "a session's end cannot be stored",
        );
      log.info({ agentNo: agent.agentNo, sessionId }, 'agent disconnected');
      await notifyPlanner([agent.locationNo]);
    }
  };

  const sendRunRequests = async (sessions: readonly Session[], nowUs: number) => {
    const nos = sessions.map((session) => session.agent.agentNo);
    for (const no of await runRequests.agentsWithRunRequests(kysely, nos, nowUs))
      registry.get(no)?.refresh('runRequests');
  };

  /** Each part fails alone. The write of the controller's own row shows whether the database can be reached. */
  const tick = async (count: number) => {
    const nowUs = clock.nowUs();
    const sessions = registry.all();
    const isThere = await parts.attempt('controller', () =>
      store.recordController(kysely, { id: controllerId, startedUs, nowUs }),
    );
    await parts.attempt('heartbeats', () => status.write(sessions));
    await parts.attempt('ends of sessions', closeRows);
    await parts.attempt('review of sessions', () => review(sessions));
    await parts.attempt('runRequests', () => sendRunRequests(sessions, nowUs));
    if (count % plansEveryTicks === 0) for (const session of sessions) session.refresh('plan');
    quietTicks = isThere ? quietTicks + 1 : 0;
    if (quietTicks > minQuietTicks)
      await parts.attempt('agents away', async () =>
        notifyPlanner(await store.markAway(kysely, { nowUs, silentBeforeUs: nowUs - silentUs })),
      );
  };

  const loop = async () => {
    for (let count = 1; !ending.signal.aborted; count += 1) {
      await clock.sleep(tickMs, ending.signal).catch(() => {});
      if (!ending.signal.aborted) await tick(count);
    }
  };

  const sessionsFor = (nos: readonly number[] | undefined) =>
    nos === undefined ? registry.all() : nos.flatMap((no) => registry.get(no) ?? []);

  return {
    notifyPlanner,
    async start() {
      await store.recordController(kysely, { id: controllerId, startedUs, nowUs: startedUs });
      await notifyPlanner(
        await store.markAway(kysely, { nowUs: startedUs, silentBeforeUs: 0, gatewayId: controllerId }),
      );
      listening.use(
        await db.subscribe('plan', (notice) => {
          for (const session of sessionsFor(notice?.agent_nos)) session.refresh('plan');
        }),
      );
      listening.use(
        await db.subscribe('runRequest', (notice) => {
          for (const session of sessionsFor(notice && [notice.agent_no])) session.refresh('runRequests');
        }),
      );
      listening.use(await db.subscribe('revoked', (notice) => reviewSoon(sessionsFor(notice?.agent_nos))));
      listening.use(
        await db.subscribe('session', (notice) => reviewSoon(sessionsFor(notice && [notice.agent_no]))),
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
      while (registry.all().length > 0 && clock.monoMs() < until) await clock.sleep(20);
      await Promise.race([closingRows, clock.sleep(Math.max(0, until - clock.monoMs()))]);
      await looping;
      await listening.disposeAsync();
    },
  };
}
