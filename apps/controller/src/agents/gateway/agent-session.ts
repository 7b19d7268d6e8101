import { silenceMs } from '@vantage/domain';
import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import { type ConnectRequest, type ConnectResponse, Goodbye_Reason, type Heartbeat } from '@vantage/proto';
import type { AgentSessionStatus } from './agent-presence.ts';
import { type AcceptBatch, createBatchQueue } from './batch-queue.ts';
import type { HistoryFeed } from './database-history.ts';
import type { KnownAgent } from './gateway-store.ts';
import { afterHeartbeat } from './heartbeat-reports.ts';
import type { SentPlan } from './plan-parts.ts';
import type { RunRequestFeed } from './run-request-feed.ts';
import { type MakeAnswer, sessionMessages } from './session-messages.ts';
import { createSessionDriver, type SessionList } from './session-state.ts';
import type { UpgradeFeed } from './upgrade-feed.ts';

/** One agent's stream, from Welcome to Goodbye. */
export interface AgentSession {
  readonly agent: KnownAgent;
  readonly sessionId: string;
  /** The agent's number of this session; later sessions of the agent have higher ones. */
  readonly counter: number;
  /**
   * The messages to the agent. Each one is created when the one before was sent, so a slow agent delays only itself.
   * Ends with the session.
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
  takeStatus(): AgentSessionStatus | undefined;
  /** A status that was taken and could not be stored: what it counts is part of the next one. */
  keepStatus(unstored: AgentSessionStatus): void;
}

/** Answers that wait for an agent. With more the agent does not read, and the stream is cut. */
const maxWaiting = 256;

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
   * The memory that the current message occupies. The session releases it when it has handled the message.
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
export function createSession(options: SessionOptions): AgentSession {
  const { agent, sessionId, clock, upgrades, accept, leave, takeShare, isRefusal, cut } = options;
  const log = options.log.child({ agentNo: agent.agentNo, sessionId });
  const answers: MakeAnswer[] = tracked([]);
  let refusal: unknown;
  let lastContactUs = clock.nowUs();
  let status: AgentSessionStatus | undefined;
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
  /** A leaving agent runs its checks until another agent has its devices. Without another agent it need not wait. */
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
