import type { Clock } from '../clock.ts';

/** A clock that moves only by `advance` and its siblings. */
export interface FakeClock extends Clock {
  /** Moves both clocks forward by `ms` and fires the timers in order; yields to promises between timers. */
  advance(ms: number): Promise<void>;
  /** Moves both clocks forward by `ms` without firing a timer, as work on the event loop does. */
  spend(ms: number): void;
  /** Steps the wall clock only, as an operator or NTP would. */
  stepWall(ms: number): void;
  /** Timers now waiting. */
  readonly pending: number;
}

interface FakeTimer {
  readonly atMs: number;
  readonly order: number;
  readonly fn: () => void;
}

/** Moves a clock forward in steps until the work has ended. Settles as the work does. */
export async function advanceUntilEnded<T>(clock: FakeClock, stepMs: number, work: Promise<T>): Promise<T> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  while (!ended) await clock.advance(stepMs);
  return work;
}

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** `startUs` is in microseconds since 1970. */
export function createFakeClock(startUs = 1_700_000_000_000_000): FakeClock {
  let mono = 0;
  let wallUs = startUs;
  let order = 0;
  const timers = new Set<FakeTimer>();
  const moveTo = (ms: number) => {
    wallUs += Math.round((ms - mono) * 1000);
    mono = ms;
  };
  const clock: FakeClock = {
    nowUs: () => wallUs,
    monoMs: () => mono,
    timer(ms, fn) {
      const timer: FakeTimer = { atMs: mono + Math.max(0, ms), order: order++, fn };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    sleep(ms, signal) {
      return new Promise<void>((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const onAbort = () => {
          timer[Symbol.dispose]();
          reject(signal?.reason);
        };
        const timer = clock.timer(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    async advance(ms) {
      const end = mono + ms;
      await settle();
      while (true) {
        const next = [...timers].sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
        if (!next || next.atMs > end) break;
        timers.delete(next);
        moveTo(next.atMs);
        next.fn();
        await settle();
      }
      moveTo(end);
      await settle();
    },
    spend: (ms) => moveTo(mono + ms),
    stepWall: (ms) => {
      wallUs += Math.round(ms * 1000);
    },
    get pending() {
      return timers.size;
    },
  };
  return clock;
}
