import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { silenceMs } from '@vantage/domain';
import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import {
  type Assignments,
  type ConnectRequest,
  type ConnectResponse,
  ConnectResponseSchema,
  Goodbye_Reason,
  type Heartbeat,
} from '@vantage/proto';
import type { AgentStatus } from './agent-presence.ts';
import { type AcceptBatch, createBatchQueue } from './batch-queue.ts';
import type { HistoryFeed } from './database-history.ts';
import { afterHeartbeat } from './message-gate.ts';
import type { PlanFeed } from './plan-feed.ts';
import type { RunRequestFeed } from './run-request-feed.ts';
import { createSessionDriver, nextStep, type SessionDriver, type SessionList } from './session-state.ts';
import type { KnownAgent } from './store.ts';
import type { UpgradeFeed } from './upgrade-feed.ts';

/** One agent's stream, from Welcome to Goodbye. */
export interface Session {
  readonly agent: KnownAgent;
  readonly sessionId: string;
  /** The agent's number of this session; later sessions of the agent have higher ones. */
  readonly counter: number;
  /**
   * The messages to the agent. Each is made when the one before is taken, so a slow agent holds only itself. Ends with
   * the session.
   */
  messages(): AsyncGenerator<ConnectResponse>;
  /**
   * Reads until the agent ends the stream, fails or falls silent. Never rejects; `refusal` has the message's fault, if
   * one was refused.
   */
  read(requests: AsyncIterable<ConnectRequest>): Promise<void>;
  /** Why the stream was ended from our side with an error; undefined while it was not. */
  readonly refusal: unknown;
  /** The plan or the run requests of this agent changed: the session reads them again. */
  refresh(list: SessionList): void;
  /** Sends the agent what the database has of the epochs that it remembers. */
  sendHistory(): Promise<void>;
  /** Says goodbye, after the answers that are due, and ends. */
  end(reason: Goodbye_Reason, text: string): void;
  /** The stream is gone or must go at once. */
  abandon(): void;
  readonly ended: boolean;
  /** When the agent's last message came, microseconds since 1970. */
  readonly lastContactUs: number;
  /** The status from the heartbeats since the last call; undefined without any. */
  takeStatus(): AgentStatus | undefined;
  /** A status that was taken and could not be stored: what it counts is part of the next one. */
  keepStatus(unstored: AgentStatus): void;
}

/** Answers that wait for an agent. With more the agent does not read, and the stream is cut. */
const maxWaiting = 256;

/** The plan as a session sends it. */
type SentPlan = Pick<PlanFeed, 'next' | 'changesAtUs'>;

/** Everything that one session needs. */
interface SessionOptions {
  readonly agent: KnownAgent;
  readonly sessionId: string;
  readonly counter: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly plan: SentPlan;
  readonly runRequests: RunRequestFeed;
  readonly upgrades: UpgradeFeed;
  readonly accept: AcceptBatch;
  readonly history: Pick<HistoryFeed, 'message'>;
  /** Stores that the agent is about to end; false when no other agent gets its devices. */
  readonly leave: () => Promise<boolean>;
  /**
   * The share of the memory that the message just read holds; the session gives it back when it is done with the
   * message.
   */
  readonly takeShare: () => Disposable | undefined;
  /** Whether reading failed because a message was refused, and not because the stream broke. */
  readonly isRefusal: (error: unknown) => boolean;
  /** Breaks the transport. */
  readonly cut: () => void;
}

const tracked = declareState({
  name: 'agent_answers',
  entries: maxWaiting,
  entryBytes: 300,
  filledBy: 'agents that do not read',
  atBound: 'the stream is cut',
});

/** Creates a session; its states are in `session-state.ts`. */
export function createSession(options: SessionOptions): Session {
  const { agent, sessionId, clock, upgrades, accept, leave, takeShare, isRefusal, cut } = options;
  const log = options.log.child({ agentNo: agent.agentNo, sessionId });
  const answers: MakeAnswer[] = tracked([]);
  let refusal: unknown;
  let lastContactUs = clock.nowUs();
  let status: AgentStatus | undefined;
  let isLeaving = false;

  const driver = createSessionDriver({
    clock,
    cut,
    onSilent: () => log.warn(`agent silent for ${silenceMs / 1000} s: stream cut`),
  });
  const answer = (make: MakeAnswer) => {
    if (answers.length < maxWaiting) {
      answers.push(make);
      driver.wake();
    } else if (!driver.ended.aborted) {
      log.warn('agent does not read its answers: stream cut');
      driver.apply({ kind: 'unresponsive' });
    }
  };
  const batches = createBatchQueue({
    clock,
    log,
    accept,
    done: (batchId, outcome) => answer(() => ({ case: 'ack', value: { batchId, ...outcome } })),
    onIdle: () => driver.wake(),
  });
  driver.ended.addEventListener('abort', () => batches.close(), { once: true });

  const onHeartbeat = (heartbeat: Heartbeat, receivedUs: number) => {
    const { sequence, sentUs: agentSentUs } = heartbeat;
    answer(() => ({
      case: 'heartbeatReply',
      value: { sequence, agentSentUs, receivedUs: BigInt(receivedUs), sentUs: BigInt(clock.nowUs()) },
    }));
    status = afterHeartbeat(status, { agentNo: agent.agentNo, sessionId, heartbeat, receivedUs });
    if (heartbeat.leaving && !isLeaving) void handOver();
  };
  /** An agent that leaves goes on until its devices are another agent's; without another one it need not wait. */
  const handOver = async () => {
    isLeaving = true;
    const isHandedOver = await leave().catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'the devices of an agent that leaves cannot be handed over');
      return false;
    });
    if (!isHandedOver) end(Goodbye_Reason.UNSPECIFIED, 'no other agent is here to check its devices');
  };
  const end = (reason: Goodbye_Reason, text: string) => {
    if (driver.state.stage.kind !== 'open') return;
    driver.apply({ kind: 'leave', goodbye: { reason, text } });
    batches.stop(reason === Goodbye_Reason.REVOKED || reason === Goodbye_Reason.FENCED);
    driver.wake();
  };

  const onRequest = async ({ message }: ConnectRequest) => {
    using share = new DisposableStack();
    share.use(takeShare());
    lastContactUs = clock.nowUs();
    driver.noteContact();
    switch (message.case) {
      case 'heartbeat':
        onHeartbeat(message.value, lastContactUs);
        return;
      case 'batch':
        await batches.add(message.value, share.move());
        return;
      case 'upgradeReport':
        upgrades.report(message.value);
        return;
      case 'hello':
      case undefined:
        return; // a second Hello, or a kind that only newer agents and controllers know
    }
  };

  return {
    agent,
    sessionId,
    counter: options.counter,
    messages: () => sessionMessages({ ...options, log, driver, answers, batches }),
    async read(requests) {
      const work = batches.run();
      try {
        for await (const request of requests) {
          if (driver.ended.aborted) break;
          await onRequest(request);
        }
      } catch (error) {
        if (isRefusal(error)) {
          refusal = error;
          log.warn({ error: messageOf(error) }, 'a message of an agent is refused');
        } else log.debug({ error: messageOf(error) }, 'stream broke');
      } finally {
        driver.apply({ kind: 'gone' });
        await work;
      }
    },
    refresh: (list) => driver.apply({ kind: 'changed', list }),
    sendHistory: () => sendHistory(options.history, answer),
    end,
    abandon: () => driver.apply({ kind: 'gone' }),
    get ended() {
      return driver.ended.aborted;
    },
    get refusal() {
      return refusal;
    },
    get lastContactUs() {
      return lastContactUs;
    },
    takeStatus() {
      const report = status;
      status = undefined;
      return report;
    },
    keepStatus(unstored) {
      const checksSkipped = (status?.checksSkipped ?? 0) + unstored.checksSkipped;
      status = { ...(status ?? unstored), checksSkipped };
    },
  };
}

async function sendHistory(history: Pick<HistoryFeed, 'message'>, answer: (make: MakeAnswer) => void) {
  const value = await history.message();
  if (value !== undefined) answer(() => ({ case: 'databaseHistory', value }));
}

/** A message before it is built. */
type Message = NonNullable<MessageInitShape<typeof ConnectResponseSchema>['message']>;

/** Creates one answer at the moment when it is sent. */
type MakeAnswer = () => Message;

interface SessionOutput {
  readonly agent: KnownAgent;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly driver: SessionDriver;
  /** Answers that wait, oldest first; they are taken out. */
  readonly answers: MakeAnswer[];
  readonly batches: { readonly idle: boolean };
  readonly plan: SentPlan;
  readonly runRequests: RunRequestFeed;
  readonly upgrades: Pick<UpgradeFeed, 'next'>;
}

/** The messages of one session to its agent: Welcome, then whatever `nextStep` decides, until the end. */
async function* sessionMessages(output: SessionOutput): AsyncGenerator<ConnectResponse> {
  const { agent, sessionId, clock, log, driver, answers, batches, plan, runRequests, upgrades } = output;
  const { agentNo, locationNo, locationName } = agent;
  const parts = createPlanParts({ clock, driver, plan });
  yield message({
    case: 'welcome',
    value: { agentNo, locationNo, locationName, sessionId, handsOver: true },
  });
  while (true) {
    const facts = { hasAnswer: answers.length > 0, isBatchInWork: !batches.idle, nowMs: clock.monoMs() };
    const step = nextStep(driver.state, facts);
    try {
      switch (step.kind) {
        case 'answer': {
          const make = answers.shift();
          if (make) yield message(make());
          break;
        }
        case 'plan': {
          const part = await parts.next();
          if (part) yield message({ case: 'assignments', value: part });
          break;
        }
        case 'runRequests': {
          driver.apply({ kind: 'runRequestsBegan' });
          for await (const each of runRequests.next()) yield message(each);
          const upgrade = await upgrades.next();
          if (upgrade) yield message({ case: 'upgrade', value: upgrade });
          break;
        }
        case 'goodbye':
          yield message({ case: 'goodbye', value: step.goodbye });
          driver.apply({ kind: 'goodbyeSent' });
          return;
        case 'end':
          return;
        case 'wait':
          await driver.next(step.untilMs);
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the plan or the run requests of an agent cannot be read');
      parts.drop();
      driver.apply({ kind: 'readFailed', nowMs: clock.monoMs() });
    }
  }
}

/** Reads the plan part by part; other messages may go between two parts. */
function createPlanParts({
  clock,
  driver,
  plan,
}: {
  readonly clock: Clock;
  readonly driver: SessionDriver;
  readonly plan: SentPlan;
}) {
  let parts: AsyncGenerator<Assignments> | undefined;
  let again: Disposable | undefined;
  const readAgainAt = (atUs: number | undefined) => {
    again?.[Symbol.dispose]();
    again = undefined;
    if (atUs === undefined || driver.ended.aborted) return;
    const inMs = Math.max(0, (atUs - clock.nowUs()) / 1000) + 1;
    again = clock.timer(inMs, () => driver.apply({ kind: 'changed', list: 'plan' }));
  };
  driver.ended.addEventListener('abort', () => again?.[Symbol.dispose](), { once: true });
  return {
    /** The next part; undefined when there are no more. */
    async next(): Promise<Assignments | undefined> {
      if (!parts) {
        driver.apply({ kind: 'planBegan', nowMs: clock.monoMs() });
        parts = plan.next();
      }
      const part = await parts.next();
      if (!part.done) return part.value;
      parts = undefined;
      driver.apply({ kind: 'planSent', nowMs: clock.monoMs() });
      readAgainAt(plan.changesAtUs);
      return undefined;
    },
    drop() {
      parts = undefined;
    },
  };
}

function message(value: Message): ConnectResponse {
  return create(ConnectResponseSchema, { message: value });
}
