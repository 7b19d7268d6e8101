import { hourMs, resultCode } from '@vantage/domain';
import { LRUCache } from '@vantage/kernel';
import { Failure, type FailureCode } from '../../contract/failure.ts';

const minuteMs = 60_000;
/** Failed requests that are repeated with the next check, so that retries are real ones. */
const freeFailures = 3;
const maxPauseMs = 6 * hourMs;

/** The entry of a key. Times are monotonic milliseconds. */
export interface Known<T> {
  readonly value: T | undefined;
  readonly askedMs: number;
  /** The wall clock at that time, microseconds. */
  readonly askedUs: number;
  /** Failed requests since the last good one, and the last of them. */
  readonly failures: number;
  readonly failedMs: number;
  readonly failure: { readonly code: FailureCode; readonly text: string } | undefined;
}

/** The ages of a value, milliseconds: at `fresh` it is requested again, and until `usable` it is used if that fails. */
export interface Ages {
  readonly freshMs: number;
  readonly usableMs: number;
}

/**
 * The next step for a key. Pure.
 *
 * | value  | failures        | step                                    |
 * |--------|-----------------|-----------------------------------------|
 * | fresh  | any             | use                                     |
 * | other  | within a pause  | use while it is usable, else fail again |
 * | other  | else            | ask                                     |
 *
 * The pause after the fourth failure in a row is 2 min, then 4, 8 … min, at most 6 h.
 */
export function nextStep<T>(known: Known<T> | undefined, ages: Ages, nowMs: number): 'ask' | 'use' | 'fail' {
  if (known === undefined) return 'ask';
  const ageMs = nowMs - known.askedMs;
  if (known.value !== undefined && ageMs < ages.freshMs) return 'use';
  const isPaused = nowMs - known.failedMs < pauseMs(known.failures);
  if (!isPaused) return 'ask';
  return known.value !== undefined && ageMs < ages.usableMs ? 'use' : 'fail';
}

function pauseMs(failures: number): number {
  if (failures <= freeFailures) return 0;
  return Math.min(maxPauseMs, minuteMs * 2 ** Math.min(failures - freeFailures, 20));
}

interface CacheClock {
  monoMs(): number;
  nowUs(): number;
}

/** The answer for a key, and the time of its request. */
export interface Cached<T> {
  readonly value: T;
  readonly askedUs: number;
  /** The failure of the last request, if the value is an older one. */
  readonly staleBecause: string | undefined;
}

/** A cache that asks rarely, and keeps old answers while a server is out of order. Bounded in bytes. */
export interface PoliteCache<T> {
  /** The answer for a key. `ask` throws a Failure. Callers of the same key wait for one request. */
  get(key: string, clock: CacheClock, signal: AbortSignal, ask: () => Promise<T>): Promise<Cached<T>>;
  readonly bytes: number;
}

export function createPoliteCache<T>(settings: {
  readonly maxBytes: number;
  readonly bytesOf: (value: T) => number;
  readonly agesOf: (value: T | undefined) => Ages;
  /** Failures of these codes are the agent's own, and no request of them reached a server. */
  readonly ownCodes: readonly FailureCode[];
}): PoliteCache<T> {
  const { maxBytes, bytesOf, agesOf, ownCodes } = settings;
  const entries = new LRUCache<string, Known<T>>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }, key) => 400 + 2 * key.length + (value === undefined ? 0 : bytesOf(value)),
  });
  const running = new LRUCache<string, Promise<void>>({ max: 10_000 });

  const askNow = async (key: string, clock: CacheClock, ask: () => Promise<T>) => {
    const before = entries.get(key);
    try {
      const value = await ask();
      const askedMs = clock.monoMs();
      entries.set(key, {
        value,
        askedMs,
        askedUs: clock.nowUs(),
        failures: 0,
        failedMs: 0,
        failure: undefined,
      });
    } catch (error) {
      if (!(error instanceof Failure) || ownCodes.includes(error.code)) throw error;
      const { code, message: text } = error;
      entries.set(key, {
        value: before?.value,
        askedMs: before?.askedMs ?? 0,
        askedUs: before?.askedUs ?? 0,
        failures: (before?.failures ?? 0) + 1,
        failedMs: clock.monoMs(),
        failure: { code, text },
      });
      if (!isUsable(entries.get(key), clock.monoMs())) throw error;
    }
  };
  const isUsable = (known: Known<T> | undefined, nowMs: number) =>
    known?.value !== undefined && nowMs - known.askedMs < agesOf(known.value).usableMs;
  const cached = (known: Known<T> | undefined): Cached<T> | undefined =>
    known?.value === undefined
      ? undefined
      : { value: known.value, askedUs: known.askedUs, staleBecause: known.failure?.text };

  return {
    get bytes() {
      return entries.calculatedSize;
    },
    async get(key, clock, signal, ask) {
      for (let other = running.get(key); other !== undefined; other = running.get(key))
        await endOf(other, signal);
      const known = entries.get(key);
      const step = nextStep(known, agesOf(known?.value), clock.monoMs());
      if (step === 'fail' && known?.failure !== undefined)
        throw new Failure(known.failure.code, `${known.failure.text} (not asked again yet)`);
      if (step !== 'use') {
        const request = askNow(key, clock, ask);
        const ended = request.catch(() => {}).finally(() => running.delete(key));
        running.set(key, ended);
        await request;
      }
      const found = cached(entries.get(key));
      // The bound of the cache may be smaller than this value.
      if (found === undefined)
        throw new Failure(resultCode.agent, 'this agent has no memory for the answer of the registry');
      return found;
    },
  };
}

/** Waits for the request of another check. */
function endOf(request: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    request.then(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, reject);
  });
}
