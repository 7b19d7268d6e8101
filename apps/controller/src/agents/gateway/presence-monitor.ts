import { clampAhead } from '@vantage/domain';
import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import { type Database, publish } from '@vantage/storage';
import type { AgentPresence } from './agent-presence.ts';
import type { AgentSession } from './agent-session.ts';
import { createBalance } from './balance.ts';
import { countSessions, recordController } from './controller-store.ts';
import { setAway } from './gateway-store.ts';
import type { RunRequestReader } from './run-request-feed.ts';
import { createSessionEnds } from './session-ends.ts';
import type { SessionRegistry } from './session-registry.ts';
import { createSessionReview } from './session-review.ts';
import { createStatusWriter } from './status-writer.ts';
import { createStrandedAgents } from './stranded-agents.ts';

/** Applies notifications to the sessions, and stores which agents are connected to this controller. */
export interface PresenceMonitor {
  start(): Promise<void>;
  /**
   * Notifies the planner of these Locations, and other gateways of the new session: they end older sessions of the
   * agent.
   */
  notifyPlanner(
    locationNos: readonly number[],
    session?: { readonly agentNo: number; readonly sessionId: string },
  ): Promise<void>;
  /** Writes a session's end, now or as soon as the database is back. */
  ended(session: AgentSession): void;
  close(): Promise<void>;
}

const tickMs = 4_000;

const plansEveryTicks = 8;

/**
 * An agent is Away when its gateway ended and the agent's last heartbeat is this old. Agents send a heartbeat every 10
 * s, and gateways store it every 4 s. If the agent ended too, another agent gets its devices within 45 s.
 */
const silentUs = 30_000_000;

/**
 * After an outage of the database other gateways need a moment to store their agents' heartbeats, and agents that found
 * no gateway with a database try again within 30 s.
 */
const minQuietTicks = 7;

const closeWithinMs = 2_500;

/** Creates the monitor. */
export function createPresenceMonitor({
  db,
  clock,
  log,
  controllerId,
  registry,
  runRequests,
  agents,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly registry: SessionRegistry;
  readonly runRequests: RunRequestReader;
  readonly agents: AgentPresence;
}): PresenceMonitor {
  const kysely = db.kysely;
  let startedUs = clock.nowUs();
  const ending = new AbortController();
  const listening = new AsyncDisposableStack();
  const status = createStatusWriter({ kysely, agents, log });
  const review = createSessionReview({ kysely, log });
  const balance = createBalance({ kysely, clock });
  const stranded = createStrandedAgents({ clock, log });
  const countGateways = async () => (await countSessions(kysely, { nowUs: clock.nowUs() })).gateways;
  const parts = createJobParts({
    log,
    failed: 'the gateway cannot reach the database',
    recovered: 'the gateway reaches the database again',
  });
  let looping: Promise<void> | undefined;
  let quietTicks = 0;
  let clockLeadUs = clock.nowUs() - clock.monoMs() * 1000;

  const notifyPlanner: PresenceMonitor['notifyPlanner'] = async (locationNos, session) => {
    await publish(kysely, 'catalog', { location_nos: locationNos });
    if (session) await publish(kysely, 'session', { agent_no: session.agentNo });
  };
  const ends = createSessionEnds({ kysely, agents, log, status, notifyPlanner });

  const sendRunRequests = async (sessions: readonly AgentSession[], nowUs: number) => {
    const nos = sessions.map((session) => session.agent.agentNo);
    for (const no of await runRequests.agentsWithRunRequests(kysely, nos, nowUs))
      registry.get(no)?.refresh('runRequests');
  };

  /** Each part fails alone. The write of the controller's own row shows whether the database can be reached. */
  const tick = async (count: number) => {
    const nowUs = clock.nowUs();
    startedUs = clampAhead(startedUs, nowUs);
    const sessions = registry.all();
    const isThere = await parts.attempt('controller', () =>
      recordController(kysely, { id: controllerId, startedUs, nowUs }),
    );
    if (!isThere) {
      // The other parts would each wait for a connection.
      quietTicks = 0;
      return stranded.missed(sessions);
    }
    // After a step of the clock, times that were stored before it look old.
    const leadUs = nowUs - clock.monoMs() * 1000;
    const hasStepped = Math.abs(leadUs - clockLeadUs) > silentUs / 2;
    clockLeadUs = leadUs;
    quietTicks = hasStepped ? 0 : quietTicks + 1;
    await stranded.reached(countGateways);
    await parts.attempt('heartbeats', () => status.write(sessions));
    await parts.attempt('ends of sessions', () => ends.write());
    await parts.attempt('review of sessions', () => review.run(sessions));
    await parts.attempt('run requests', () => sendRunRequests(sessions, nowUs));
    if (count % plansEveryTicks === 0) for (const session of sessions) session.refresh('plan');
    if (quietTicks > minQuietTicks && count % plansEveryTicks === 0)
      await parts.attempt('agents of other gateways', () => balance(sessions));
    if (quietTicks > minQuietTicks)
      await parts.attempt('agents away', async () =>
        notifyPlanner(await setAway({ kysely, agents }, { nowUs, silentBeforeUs: nowUs - silentUs })),
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
      await recordController(kysely, { id: controllerId, startedUs, nowUs: startedUs });
      await notifyPlanner(await setAway({ kysely, agents }, { nowUs: startedUs, gatewayId: controllerId }));
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
      listening.use(await db.subscribe('revoked', (notice) => review.begin(sessionsFor(notice?.agent_nos))));
      listening.use(
        await db.subscribe('session', (notice) => review.begin(sessionsFor(notice && [notice.agent_no]))),
      );
      looping = loop();
    },
    ended: (session) => ends.add(session),
    async close() {
      ending.abort();
      const until = clock.monoMs() + closeWithinMs;
      while (registry.all().length > 0 && clock.monoMs() < until) await clock.sleep(20);
      await Promise.race([ends.settled(), clock.sleep(Math.max(0, until - clock.monoMs()))]);
      await looping;
      await listening.disposeAsync();
    },
  };
}
