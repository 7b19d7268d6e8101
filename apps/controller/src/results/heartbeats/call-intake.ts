import {
  type Clock,
  clientNetwork,
  declareShare,
  declareState,
  type Logger,
  messageOf,
} from '@vantage/kernel';
import { createAttemptLimit } from '@vantage/rest-kit/attempt-limit';
import { bisectBatch, dbFailure } from '@vantage/storage';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { createRateLimiter } from '../../server/rate-limiter.ts';
import type { DeviceCall } from './apply-calls.ts';
import { createCallQueue } from './call-queue.ts';
import type { CallWords } from './heartbeat-results.ts';
import type { KnownToken } from './heartbeat-store.ts';

/** The most bytes of a body that are kept. */
export const maxBodyBytes = 10_240;

declareShare({
  name: 'calls_of_jobs',
  limit: '500 in a transaction, 2,000 wait',
  filledBy: 'jobs with a token, strangers',
  share:
    '1,000 wait of an account, and 1,000 of an address (IPv6: /64) until their tokens are looked up; accounts take turns',
});

declareShare({
  name: 'rate_of_calls',
  limit: 'one limit for each token, and one for each address (IPv6: /64)',
  filledBy: 'jobs with a token',
  share: '60 in a row and then 1 a second of a token; 3,000 in a row and then 1,500 a second of an address',
});

declareShare({
  name: 'guesses_of_push_tokens',
  limit: '20 a minute for each address (IPv6: /64)',
  filledBy: 'strangers',
  share: 'the same',
});

const tracked = declareState({
  name: 'waiting_calls',
  entries: 4_000,
  entryBytes: maxBodyBytes + 1_000,
  filledBy: 'jobs with a token, strangers',
  atBound: '429 with Retry-After',
});

const batchSize = 500;
const maxWaiting = { all: 2_000, each: 1_000 };
const ofToken = { burst: 60, perSecond: 1, maxKeys: 100_000 };
const ofAddress = { burst: 3_000, perSecond: 1_500, maxKeys: 100_000 };
const tries = 4;

/** A call as it was received. */
type ReceivedCall = CallWords & { readonly token: string; readonly atUs: number };

/** `stored`: it is durable. `wait` has the seconds after which a repeat may pass. */
type CallAnswer =
  | { readonly kind: 'stored' | 'unknown' | 'failed' }
  | { readonly kind: 'wait'; readonly seconds: number };

/** Takes the calls of jobs. */
export interface CallIntake {
  /** Resolves once the call is stored, or refused. Never rejects. */
  take(call: ReceivedCall): Promise<CallAnswer>;
  /** The moment of the oldest call that is not stored yet. */
  readonly oldestWaitingUs: () => number | undefined;
}

interface IntakeDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly findTokens: (hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, KnownToken>>;
  /** Stores calls in one transaction. */
  readonly store: (calls: readonly DeviceCall[]) => Promise<void>;
  readonly partitions: { ensure(): Promise<void> };
  readonly onFailure: () => void;
}

interface Waiting<T> {
  readonly value: T;
  readonly answer: (answer: CallAnswer) => void;
}

/**
 * Creates the intake. Calls that arrive while a transaction runs are stored together by the next one, so their number
 * does not depend on how many jobs call.
 */
export function createCallIntake(deps: IntakeDeps): CallIntake {
  const { clock, log, findTokens, onFailure } = deps;
  const open = tracked(new Set<ReceivedCall>());
  const unknown = createCallQueue<string, Waiting<ReceivedCall> & { readonly network: string }>(maxWaiting);
  const known = createCallQueue<number, Waiting<DeviceCall>>(maxWaiting);
  const guesses = createAttemptLimit(clock);
  const tokenRates = createRateLimiter<number>(ofToken);
  const addressRates = createRateLimiter<string>(ofAddress);

  const lookUp = createPump(unknown, async (batch) => {
    const found = await findTokens(batch.map(({ value }) => hashCredential(value.token))).catch(
      (error: unknown) => {
        log.warn({ error: messageOf(error) }, 'the tokens of calls could not be looked up');
        return undefined;
      },
    );
    if (found === undefined) onFailure();
    for (const { value, answer, network } of batch) {
      if (found === undefined) {
        answer({ kind: 'failed' });
        continue;
      }
      const { token, ...call } = value;
      const device = found.get(hashCredential(token).toString('hex'));
      if (device === undefined) answer(refuseGuess(network));
      else if (!tokenRates.allow(device.deviceNo, clock.monoMs())) answer({ kind: 'wait', seconds: 5 });
      else if (known.add(device.accountNo, { value: { ...call, ...device }, answer })) storeAll.start();
      else answer({ kind: 'wait', seconds: 1 });
    }
  });

  const storeAll = createPump(known, async (batch) => {
    const failed = await storeBatch(
      deps,
      batch.map(({ value }) => value),
    );
    if (failed.size > 0) onFailure();
    for (const { value, answer } of batch) answer({ kind: failed.has(value) ? 'failed' : 'stored' });
  });

  const refuseGuess = (network: string): CallAnswer => {
    const attempt = guesses.begin(network);
    return 'waitS' in attempt ? { kind: 'wait', seconds: attempt.waitS } : { kind: 'unknown' };
  };

  return {
    oldestWaitingUs() {
      let oldest: number | undefined;
      for (const { atUs } of open) oldest = Math.min(oldest ?? atUs, atUs);
      return oldest;
    },
    async take(call) {
      const network = clientNetwork(call.address);
      if (!addressRates.allow(network, clock.monoMs())) return { kind: 'wait', seconds: 1 };
      open.add(call);
      try {
        return await new Promise<CallAnswer>((answer) => {
          if (unknown.add(network, { value: call, answer, network })) lookUp.start();
          else answer({ kind: 'wait', seconds: 1 });
        });
      } finally {
        open.delete(call);
      }
    },
  };
}

/** Runs `work` on batches of a queue, one after the other, while there are items. */
function createPump<T>(
  queue: { readonly size: number; take(count: number): T[] },
  work: (batch: readonly T[]) => Promise<void>,
) {
  let isRunning = false;
  const run = async () => {
    while (queue.size > 0) await work(queue.take(batchSize));
    isRunning = false;
  };
  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      void run();
    },
  };
}

/** Stores calls. Returns those that failed, if others of them could be stored or not. */
async function storeBatch(
  { clock, log, store, partitions }: IntakeDeps,
  calls: readonly DeviceCall[],
): Promise<ReadonlySet<DeviceCall>> {
  const storeOrRetry = async (some: readonly DeviceCall[]) => {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await store(some);
      } catch (error) {
        const failure = dbFailure(error);
        if (failure === 'no-partition' && attempt === 1) await partitions.ensure();
        else if (failure !== 'retry' || attempt >= tries) throw error;
        else await clock.sleep(20 * 2 ** attempt);
      }
  };
  try {
    const failed = await bisectBatch(calls, storeOrRetry);
    const [first] = failed;
    if (first !== undefined)
      log.error({ calls: failed.length, error: messageOf(first.error) }, 'calls of jobs could not be stored');
    return new Set(failed.map(({ item }) => item));
  } catch (error) {
    log.warn(
      { calls: calls.length, error: messageOf(error) },
      'calls of jobs could not be stored; the jobs receive 503 and may repeat them',
    );
    return new Set(calls);
  }
}
