import type { Clock } from '../clock.ts';

/** A clock that stands still until `advance`. */
export interface FakeClock extends Clock {
  /** Moves both clocks on by `ms`, firing every timer on its way in order; yields to promises between timers. */
  advance(ms: number): Promise<void>;
  /** Moves both clocks on by `ms` without firing a timer, as work on the event loop does. */
  spend(ms: number): void;
  /** Steps the wall clock only, as an operator or NTP would. */
  stepWall(ms: number): void;
  /** Timers now waiting. */
  readonly pending: number;
}

interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly fn: () => void;
}

/** Moves a clock on in steps until the work has ended. Resolves or rejects as the work does. */
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

/** Creates a fake clock that starts at `startUs` (microseconds since 1970). */
export function createFakeClock(startUs = 1_700_000_000_000_000): FakeClock {
  let mono = 0;
  let wallUs = startUs;
  let order = 0;
  const entries = new Set<Entry>();
  const moveTo = (ms: number) => {
    wallUs += Math.round((ms - mono) * 1000);
    mono = ms;
  };
  const clock: FakeClock = {
    nowUs: () => wallUs,
    monoMs: () => mono,
    timer(ms, fn) {
      const entry: Entry = { atMs: mono + Math.max(0, ms), order: order++, fn };
      entries.add(entry);
      return { [Symbol.dispose]: () => void entries.delete(entry) };
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
        const next = [...entries].sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
        if (!next || next.atMs > end) break;
        entries.delete(next);
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
      return entries.size;
    },
  };
  return clock;
}
