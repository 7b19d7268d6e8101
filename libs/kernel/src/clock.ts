import { setTimeout as delay } from 'node:timers/promises';

/** The source of time. Code that waits or reads the time receives a clock, so that a test can set the time. */
export interface Clock {
  /** Wall clock, whole microseconds since 1970 (UTC). May jump. */
  nowUs(): number;
  /** Monotonic milliseconds with fractions; only differences mean something. */
  monoMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `fn` once after `ms`; disposing it first means never. */
  timer(ms: number, fn: () => void): Disposable;
}

export const systemClock: Clock = {
  nowUs: () => Math.round((performance.timeOrigin + performance.now()) * 1000) + wallDriftUs(),
  monoMs: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
  timer: (ms, fn) => setTimeout(fn, ms),
};

/** Calls `fn` every `ms`, until disposed. */
export function every(clock: Pick<Clock, 'timer'>, ms: number, fn: () => void): Disposable {
  let timer = clock.timer(ms, tick);
  function tick(): void {
    timer = clock.timer(ms, tick);
    fn();
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/**
 * `performance.timeOrigin` is fixed at the start, so it misses later steps and slews of the wall clock. Date.now() has
 * them, but only in whole milliseconds. So follow Date.now(), and keep the microseconds of the monotonic clock while
 * both agree.
 */
function wallDriftUs(): number {
  const fine = performance.timeOrigin + performance.now();
  const coarse = Date.now();
  const difference = coarse - Math.floor(fine);
  if (Math.abs(difference - drift) > 1) drift = difference;
  return drift * 1000;
}
let drift = 0;
