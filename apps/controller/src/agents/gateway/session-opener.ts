import { Code, ConnectError } from '@connectrpc/connect';
import { type Clock, declareShare, type Logger, newId } from '@vantage/kernel';
import type { Batch, Hello } from '@vantage/proto';
import { type Db, publish } from '@vantage/storage';
import type { AgentPresence } from './agent-presence.ts';
import { type AgentSession, createSession } from './agent-session.ts';
import { createAssignmentBuilder, createSecretLookup, type Unsealer } from './assignment.ts';
import type { AcceptedBatch } from './batch-queue.ts';
import { createBusyMeter } from './busy-meter.ts';
import { createHistoryFeed, type DatabaseHistory, noHistory } from './database-history.ts';
import { createFairSlots } from './fair-slots.ts';
import { fenceAgent, type RecordFences } from './fence-store.ts';
import { type KnownAgent, namesOf } from './gateway-store.ts';
import type { Banned } from './goodbye.ts';
import { openSession } from './open-session-store.ts';
import { answersPing } from './pings.ts';
import { createPlanFeed } from './plan-feed.ts';
import { createRunRequestFeed, type RunRequestReader } from './run-request-feed.ts';
import type { Caller } from './stream-handler.ts';
import { type AgentUpgrades, createUpgradeFeed, noUpgrades } from './upgrade-feed.ts';

declareShare({
  name: 'commits_of_results',
  limit: '4 batches',
  filledBy: 'agents',
  share: '2 an account, 1 an agent; accounts take turns',
});

interface NewSession {
  readonly agent: KnownAgent;
  readonly sessionId: string;
  readonly counter: number;
  /** The epochs whose acks the agent remembers. */
  readonly epochIds: readonly string[];
}

/** The receiver of batches; see the ingest. */
export interface BatchReceiver {
  accept(
    sender: {
      readonly agentNo: number;
      readonly accountNo: number;
      readonly names: { readonly agent: string; readonly location: string };
    },
    batch: Batch,
    signal: AbortSignal,
  ): Promise<AcceptedBatch>;
}

/** The outcome of a Hello. */
export type OpenedSession =
  | { readonly kind: 'session'; readonly session: AgentSession }
  | { readonly kind: 'unknown' }
  | { readonly kind: Banned; readonly agent: KnownAgent }
  /** A newer Hello of the same agent was there first. */
  | { readonly kind: 'late' };

/** Opens sessions. */
export interface SessionOpener {
  /**
   * Opens the session of a Hello, or fences an agent that two processes use. Rejects when the database cannot be
   * reached.
   */
  open(agentNo: number, hello: Hello, caller: Caller): Promise<OpenedSession>;
  /** Batches of all sessions that wait for their turn to be stored. */
  readonly waitingBatches: number;
}

/** The sender of a suspect Hello must answer a ping within this time to count as alive. */
const answerWithinMs = 5_000;

/** Batches that are committed at one time; the rest of the pool is for heartbeats and the API. */
const ingestLimits = { inAll: 4, perAccount: 2, perAgent: 1 };

/** Creates the opener. */
export function createSessionOpener({
  db: { kysely },
  clock,
  log,
  sealer,
  controllerId,
  ingest,
  runRequests,
  recordEvents,
  agents,
  upgrades = noUpgrades,
  history = noHistory,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Unsealer;
  readonly controllerId: string;
  readonly ingest: BatchReceiver;
  readonly runRequests: RunRequestReader;
  readonly recordEvents: RecordFences;
  readonly agents: AgentPresence;
  readonly upgrades?: AgentUpgrades;
  readonly history?: DatabaseHistory;
}): SessionOpener {
  const build = createAssignmentBuilder({ sealer, log });
  const slots = createFairSlots(ingestLimits);
  const busy = createBusyMeter({ clock });

  const sessionFor = (
    { agent, sessionId, counter, epochIds }: NewSession,
    { gate, cut }: Caller,
  ): AgentSession => {
    const feed = createHistoryFeed(history, epochIds);
    const { agentNo, accountNo } = agent;
    const names = namesOf(agent);
    const secretsNow = () => createSecretLookup({ kysely, sealer, accountNo });
    const feedOptions = { kysely, clock, log, agent, build, secretsNow };
    const plan = createPlanFeed(feedOptions);
    return createSession({
      agent,
      sessionId,
      counter,
      clock,
      log,
      plan,
      runRequests: createRunRequestFeed({ ...feedOptions, runRequests, plan }),
      upgrades: createUpgradeFeed(upgrades, agent),
      accept: (batch, signal) =>
        feed.accept(() =>
          slots.run({ accountNo, agentNo, weight: 1 }, signal, async () => {
            const fromMs = clock.monoMs();
            const outcome = await ingest.accept({ agentNo, accountNo, names }, batch, signal);
            const storedMs = Math.round(clock.monoMs() - fromMs);
            return { ...outcome, storedMs, waitingBatches: slots.waiting, busyPermille: busy.permille() };
          }),
        ),
      history: feed,
      async leave() {
        const isHandedOver = await agents.leave(kysely, { agentNo, sessionId, nowUs: clock.nowUs() });
        if (isHandedOver) await publish(kysely, 'catalog', { location_nos: [agent.locationNo] });
        return isHandedOver;
      },
      takeShare: () => gate.takeShare(),
      isRefusal,
      cut,
    });
  };

  /** Whether this Hello came from a copy of the agent, so that the agent is fenced now; see `classifyCounter`. */
  const isFenced = async (agent: KnownAgent, hello: Hello, { connection, signal }: Caller) => {
    const answers =
      connection !== undefined && (await answersPing(connection, { clock, withinMs: answerWithinMs }));
    if (!answers || signal.aborted) return false;
    const { hostName } = hello;
    const counter = Number(hello.sessionCounter);
    const fence = { agent, counter, hostName, nowUs: clock.nowUs() };
    if (!(await fenceAgent({ kysely, agents, recordEvents }, fence))) return false;
    log.error(
      { ...namesOf(agent), agentId: agent.agentId, host: hostName },
      'a copy of an agent was seen: both are fenced',
    );
    return true;
  };

  return {
    get waitingBatches() {
      return slots.waiting;
    },
    async open(agentNo, hello, caller) {
      const sessionId = newId();
      const row = { agentNo, hello, sessionId, gatewayId: controllerId, nowUs: clock.nowUs() };
      const opening = await openSession({ kysely, agents }, row);
      switch (opening.kind) {
        case 'unknown':
        case 'revoked':
        case 'fenced':
          return opening;
        case 'suspect':
          return (await isFenced(opening.agent, hello, caller))
            ? { kind: 'fenced', agent: opening.agent }
            : { kind: 'late' };
        case 'open': {
          const { epochIds } = hello;
          const counter = Number(hello.sessionCounter);
          const session = sessionFor({ agent: opening.agent, sessionId, counter, epochIds }, caller);
          await session.sendHistory();
          return { kind: 'session', session };
        }
      }
    },
  };
}

/** Whether the gate refused a message, as opposed to a stream that broke. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    (error.code === Code.ResourceExhausted || error.code === Code.InvalidArgument)
  );
}
