import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import {
  type ConnectRequest,
  type ConnectResponse,
  ConnectResponseSchema,
  Goodbye_Reason,
  type Heartbeat,
} from '@vantage/proto';
import { type AcceptBatch, createBatchQueue } from './batch-queue.ts';
import { clampHeartbeat } from './gate.ts';
import type { PlanFeed } from './plan-feed.ts';
import type { RunRequestFeed } from './run-request-feed.ts';
import type { AgentStatus, KnownAgent } from './store.ts';

/** One agent's stream, from Welcome to Goodbye. */
export interface Session {
  readonly agent: KnownAgent;
  readonly sessionId: string;
  /** What goes to the agent; made only as fast as it is taken, so a slow agent holds nobody but itself. Ends with the session. */
  messages(): AsyncGenerator<ConnectResponse>;
  /** Reads until the agent ends the stream, fails or falls silent. Never rejects; `refusal` says what was refused. */
  read(requests: AsyncIterable<ConnectRequest>): Promise<void>;
  /** Why the stream was ended from our side with an error; undefined while it was not. */
  readonly refusal: unknown;
  /** Look again: the plan or the orders of this agent changed. */
  refresh(what: 'plan' | 'runRequests'): void;
  /** Says goodbye, after the answers that are due, and ends. */
  end(reason: Goodbye_Reason, text: string): void;
  /** The stream is gone or must go at once. */
  abandon(): void;
  readonly ended: boolean;
  /** When the agent was last heard, microseconds since 1970. */
  readonly lastContactUs: number;
  /** What was heard since it was last asked for; undefined when nothing was. */
  takeStatus(): AgentStatus | undefined;
}

type Message = NonNullable<MessageInitShape<typeof ConnectResponseSchema>['message']>;

/** Either side ends the stream when it heard nothing for this long. */
const silenceMs = 25_000;
/** Answers that wait for an agent that does not read; more, and it is not alive. */
const maxWaiting = 256;
const planPauseMs = 200;
const goodbyeGraceMs = 1_500;

/** Makes a session. `cut` breaks the transport when a goodbye is not taken. */
export function createSession({
  agent,
  sessionId,
  clock,
  log,
  plan,
  runRequests,
  accept,
  takeShare,
  isRefusal,
  cut,
}: {
  readonly agent: KnownAgent;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly plan: PlanFeed;
  readonly runRequests: RunRequestFeed;
  readonly accept: AcceptBatch;
  /** The share of the memory that the message just read holds; it is given back when the message is done with. */
  readonly takeShare: () => Disposable | undefined;
  /** Whether reading failed because a message was refused, and not because the stream broke. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly cut: () => void;
}): Session {
  const answers: (() => Message)[] = [];
  const dirty = { plan: true, runRequests: true };
  let goodbye: { readonly reason: Goodbye_Reason; readonly text: string } | undefined;
  let ended = false;
  let refusal: unknown;
  let wake = () => {};
  let lastContactUs = clock.nowUs();
  let planNotBeforeMs = 0;
  let retryAtMs = 0;
  let grace: Disposable | undefined;
  let status: AgentStatus | undefined;
  let silence = clock.timer(silenceMs, () => fallSilent());

  const fallSilent = () => {
    log.warn({ agentNo: agent.agentNo, sessionId }, `agent silent for ${silenceMs / 1000} s: stream cut`);
    abandon();
    cut();
  };
  const abandon = () => {
    ended = true;
    silence[Symbol.dispose]();
    grace?.[Symbol.dispose]();
    batches.close();
    wake();
  };
  const answer = (make: () => Message) => {
    if (answers.length >= maxWaiting) {
      log.warn({ agentNo: agent.agentNo, sessionId }, 'agent does not read its answers: stream cut');
      abandon();
      cut();
      return;
    }
    answers.push(make);
    wake();
  };
  const batches = createBatchQueue({
    clock,
    log,
    accept,
    done: (batchId, outcome) => answer(() => ({ case: 'ack', value: { batchId, ...outcome } })),
    onIdle: () => wake(),
  });

  const onHeartbeat = (heartbeat: Heartbeat, receivedUs: number) => {
    answer(() => ({
      case: 'heartbeatReply',
      value: {
        sequence: heartbeat.sequence,
        agentSentUs: heartbeat.sentUs,
        receivedUs: BigInt(receivedUs),
        sentUs: BigInt(clock.nowUs()),
      },
    }));
    const clamped = clampHeartbeat(heartbeat);
    status = {
      agentNo: agent.agentNo,
      sessionId,
      lastSeenUs: receivedUs,
      clockOffsetUs: Number(clamped.clockOffsetUs),
      backlogRecords: Number(clamped.backlogRecords),
      latenessP50Ms: clamped.latenessP50Ms,
      latenessP99Ms: clamped.latenessP99Ms,
      checksSkipped: (status?.checksSkipped ?? 0) + clamped.checksSkipped,
      offlineReason: clamped.offlineReason === '' ? null : clamped.offlineReason,
    };
  };

  const onRequest = async ({ message }: ConnectRequest) => {
    using share = new DisposableStack();
    share.use(takeShare());
    lastContactUs = clock.nowUs();
    silence[Symbol.dispose]();
    silence = clock.timer(silenceMs, fallSilent);
    switch (message.case) {
      case 'heartbeat':
        onHeartbeat(message.value, lastContactUs);
        return;
      case 'batch':
        await batches.add(message.value, share.move());
        return;
      case 'hello':
      case undefined:
        return; // a second Hello, or a kind that this controller does not know: newer agents may speak more
    }
  };

  async function* planParts(): AsyncGenerator<ConnectResponse> {
    dirty.plan = false;
    const startMs = clock.monoMs();
    for await (const part of plan.next()) yield message({ case: 'assignments', value: part });
    // A long list that changes often must not take all of the database: rest five times as long as it took.
    const nowMs = clock.monoMs();
    planNotBeforeMs = nowMs + Math.max(planPauseMs, Math.min(10_000, 5 * (nowMs - startMs)));
  }

  return {
    agent,
    sessionId,
    async *messages() {
      yield message({
        case: 'welcome',
        value: {
          agentNo: agent.agentNo,
          locationNo: agent.locationNo,
          locationName: agent.locationName,
          sessionId,
        },
      });
      let parts: AsyncGenerator<ConnectResponse> | undefined;
      while (true) {
        const next = answers.shift();
        if (next) {
          yield message(next());
          continue;
        }
        if (ended) return;
        if (goodbye && batches.idle) {
          yield message({ case: 'goodbye', value: goodbye });
          abandon();
          return;
        }
        const mayRead = !goodbye && clock.monoMs() >= retryAtMs;
        try {
          if (!parts && dirty.plan && mayRead && clock.monoMs() >= planNotBeforeMs) parts = planParts();
          if (parts) {
            const part = await parts.next();
            if (part.done) parts = undefined;
            else yield part.value;
            continue;
          }
          if (dirty.runRequests && mayRead) {
            dirty.runRequests = false;
            for (const request of await runRequests.next())
              yield message({ case: 'runRequest', value: request });
            continue;
          }
        } catch (error) {
          log.warn({ agentNo: agent.agentNo, error: messageOf(error) }, 'plan or orders cannot be read');
          parts = undefined;
          dirty.plan = true;
          dirty.runRequests = true;
          retryAtMs = clock.monoMs() + 1_000;
        }
        const waiting = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (answers.length > 0 || ended) continue;
        const laterMs = Math.max(retryAtMs, dirty.plan ? planNotBeforeMs : 0) - clock.monoMs();
        using _timer =
          (dirty.plan || dirty.runRequests) && !goodbye
            ? clock.timer(Math.max(1, laterMs), () => wake())
            : undefined;
        await waiting;
      }
    },
    async read(requests) {
      const work = batches.run();
      try {
        for await (const request of requests) {
          if (ended) break;
          await onRequest(request);
        }
      } catch (error) {
        if (isRefusal(error)) {
          refusal = error;
          log.warn(
            { agentNo: agent.agentNo, sessionId, error: messageOf(error) },
            'a message of an agent is refused',
          );
        } else log.debug({ agentNo: agent.agentNo, sessionId, error: messageOf(error) }, 'stream broke');
      } finally {
        abandon();
        await work;
      }
    },
    refresh(what) {
      dirty[what] = true;
      wake();
    },
    end(reason, text) {
      if (goodbye || ended) return;
      goodbye = { reason, text };
      batches.stop(reason === Goodbye_Reason.REVOKED || reason === Goodbye_Reason.FENCED);
      wake();
      grace = clock.timer(goodbyeGraceMs, () => {
        abandon();
        cut();
      });
    },
    abandon,
    get ended() {
      return ended;
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
  };
}

function message(value: Message): ConnectResponse {
  return create(ConnectResponseSchema, { message: value });
}
