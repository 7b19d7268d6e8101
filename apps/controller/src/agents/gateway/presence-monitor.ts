import { type Clock, createJobParts, declareState, type Logger, messageOf } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { bisectBatch, type Db, publish } from '../../platform/db/index.ts';
import type { AgentPresence } from './agent-presence.ts';
import { createBalance } from './balance.ts';
import type { RunRequests } from './run-request-feed.ts';
import type { Session } from './session.ts';
import { createSessionReview } from './session-review.ts';
import { closeSession, markAway, namesOf, recordController } from './store.ts';

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
  ended(session: Session): void;
  close(): Promise<void>;
}

const tickMs = 4_000;
const plansEveryTicks = 8;
/**
 * An agent is Away when its gateway ended and the agent's last heartbeat is this old. Agents send a heartbeat every 10
 * s, and gateways store it every 4 s. Where the agent ended too, another one has its devices within 45 s.
 */
const silentUs = 30_000_000;
/** After an outage of the database other gateways need a moment to store their agents' heartbeats. */
const minQuietTicks = 5;
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
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly registry: SessionRegistry;
  readonly runRequests: RunRequests;
  readonly agents: AgentPresence;
}): PresenceMonitor {
  const kysely = db.kysely;
  const startedUs = clock.nowUs();
  const ending = new AbortController();
  const listening = new AsyncDisposableStack();
  const status = createStatusWriter({ kysely, agents, log });
  const review = createSessionReview({ kysely, log });
  const balance = createBalance({ kysely, clock });
  const parts = createJobParts({
    log,
    failed: 'the gateway cannot reach the database',
    recovered: 'the gateway reaches the database again',
  });
  let looping: Promise<void> | undefined;
  let quietTicks = 0;

  const notifyPlanner: PresenceMonitor['notifyPlanner'] = async (locationNos, session) => {
    await publish(kysely, 'catalog', { location_nos: locationNos });
    if (session) await publish(kysely, 'session', { agent_no: session.agentNo });
  };
  const ends = createSessionEnds({ kysely, agents, log, status, notifyPlanner });

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
      recordController(kysely, { id: controllerId, startedUs, nowUs }),
    );
    await parts.attempt('heartbeats', () => status.write(sessions));
    await parts.attempt('ends of sessions', () => ends.write());
    await parts.attempt('review of sessions', () => review.run(sessions));
    await parts.attempt('run requests', () => sendRunRequests(sessions, nowUs));
    if (count % plansEveryTicks === 0) for (const session of sessions) session.refresh('plan');
    quietTicks = isThere ? quietTicks + 1 : 0;
    if (quietTicks > minQuietTicks && count % plansEveryTicks === 0)
      await parts.attempt('agents of other gateways', () => balance(sessions));
    if (quietTicks > minQuietTicks)
      await parts.attempt('agents away', async () =>
        notifyPlanner(await markAway({ kysely, agents }, { nowUs, silentBeforeUs: nowUs - silentUs })),
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
      await notifyPlanner(await markAway({ kysely, agents }, { nowUs: startedUs, gatewayId: controllerId }));
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

/** Stores the ends of sessions, now or as soon as the database is back. */
interface SessionEnds {
  /** Stores this session's end; a failure is logged, and `write` tries again. */
  add(session: Session): void;
  /** Stores the ends that wait. Rejects when the database cannot be reached. */
  write(): Promise<void>;
  /** Resolves when the attempts that `add` began are over. */
  settled(): Promise<void>;
}

const trackedEnds = declareState({
  name: 'ending_sessions',
  entries: { each: 'agent' },
  entryBytes: 100,
  filledBy: 'agents',
  atBound: 'the limit of connections',
});

/** Creates the writer. `notifyPlanner` is called after each end that was stored. */
function createSessionEnds({
  kysely,
  agents,
  log,
  status,
  notifyPlanner,
}: {
  readonly kysely: Db['kysely'];
  readonly agents: AgentPresence;
  readonly log: Logger;
  readonly status: StatusWriter;
  readonly notifyPlanner: (locationNos: readonly number[]) => Promise<void>;
}): SessionEnds {
  const waiting = trackedEnds(new Set<Session>());
  let attempts: Promise<void> = Promise.resolve();

  const write = async () => {
    for (const session of waiting) {
      const { agent, sessionId, lastContactUs } = session;
      await status.write([session]);
      const refused = await bisectBatch([session], () =>
        closeSession({ kysely, agents }, { agentNo: agent.agentNo, sessionId, toUs: lastContactUs }),
      );
      waiting.delete(session);
      for (const { error } of refused)
        log.warn(
          { ...namesOf(agent), sessionId, error: messageOf(error) },
          "a session's end cannot be stored",
        );
      log.info({ ...namesOf(agent), sessionId }, 'agent disconnected');
      await notifyPlanner([agent.locationNo]);
    }
  };

  return {
    add(session) {
      waiting.add(session);
      attempts = attempts.then(write).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, "a session's end is written later");
      });
    },
    write,
    settled: () => attempts,
  };
}

/** Stores the status that agents report in their heartbeats. */
interface StatusWriter {
  /**
   * One statement for all. An agent whose status the database refuses loses its session; the status of the others is
   * written.
   */
  write(sessions: readonly Session[]): Promise<void>;
}

/** Agents whose refused status was logged. The log has one line for each, however often it connects again. */
const maxRemembered = 1_000;

const trackedAgents = declareState({
  name: 'logged_agents',
  entries: maxRemembered,
  entryBytes: 50,
  filledBy: 'agents with a bad status',
  atBound: 'all are forgotten',
});

/** Creates the writer. */
function createStatusWriter({
  kysely,
  agents,
  log,
}: {
  readonly kysely: Db['kysely'];
  readonly agents: AgentPresence;
  readonly log: Logger;
}): StatusWriter {
  const logged = trackedAgents(new Set<number>());

  const refuse = (session: Session, error: unknown) => {
    const { agentNo } = session.agent;
    session.end(Goodbye_Reason.UNSPECIFIED, "the controller cannot store this agent's status");
    if (logged.has(agentNo)) return;
    if (logged.size >= maxRemembered) logged.clear();
    logged.add(agentNo);
    log.warn(
      { ...namesOf(session.agent), error: messageOf(error) },
      "an agent's status cannot be stored: its session is ended",
    );
  };

  return {
    async write(sessions) {
      const unstored = new Map(
        sessions.flatMap((session) => {
          const report = session.takeStatus();
          return report ? [[session, report] as const] : [];
        }),
      );
      try {
        const refused = await bisectBatch([...unstored], async (some) => {
          await agents.report(
            kysely,
            some.map(([, report]) => report),
          );
          for (const [session] of some) unstored.delete(session);
        });
        for (const { item, error } of refused) {
          const [session] = item;
          unstored.delete(session);
          refuse(session, error);
        }
      } finally {
        for (const [session, report] of unstored) session.keepStatus(report);
      }
    },
  };
}

/** The sessions of this controller, one for each agent. */
export interface SessionRegistry {
  /** Adds a session and returns the older one of the same agent, if there was one. */
  add(session: Session): Session | undefined;
  /** Removes a session, unless a newer one of the same agent replaced it. */
  remove(session: Session): void;
  get(agentNo: number): Session | undefined;
  all(): Session[];
}

const trackedSessions = declareState({
  name: 'agent_sessions',
  entries: { each: 'agent' },
  entryBytes: 65_536,
  filledBy: 'agents',
  atBound: 'the limit of connections',
});

/** Creates an empty registry. */
export function createSessionRegistry(): SessionRegistry {
  const sessions = trackedSessions(new Map<number, Session>());
  return {
    add(session) {
      const older = sessions.get(session.agent.agentNo);
      sessions.set(session.agent.agentNo, session);
      return older;
    },
    remove(session) {
      if (sessions.get(session.agent.agentNo) === session) sessions.delete(session.agent.agentNo);
    },
    get: (agentNo) => sessions.get(agentNo),
    all: () => [...sessions.values()],
  };
}
