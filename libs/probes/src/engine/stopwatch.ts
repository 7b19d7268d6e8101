import type { Phase, Phases, Stopwatch } from '../contract/dial.ts';

/**
 * Creates a stopwatch on a monotonic clock (milliseconds with fractions). No phase runs until one is entered. It has no
 * getter: V8 keeps the functions of a literal's getters until it collects its old generation, and they would keep all
 * that the check used.
 */
export function createStopwatch(monoMs: () => number): Stopwatch {
  const sums: Record<Phase, number> = { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 };
  let running: Phase | undefined;
  let since: number | undefined;
  const settle = (next: Phase | undefined, startMs = monoMs()) => {
    if (running !== undefined) sums[running] += startMs - (since ?? startMs);
    running = next;
    since = startMs;
  };
  return {
    enter: (phase) => settle(phase),
    follow: (phase) => (running === undefined ? settle(phase, since) : settle(phase)),
    pause: () => settle(undefined),
    conclude(phase, ms) {
      if (running === phase) running = undefined;
      settle(undefined);
      sums[phase] = ms;
    },
    read(): Phases {
      const open = running === undefined || since === undefined ? 0 : monoMs() - since;
      const of = (phase: Phase) => toMicroseconds(sums[phase] + (phase === running ? open : 0));
      return { dns: of('dns'), connect: of('connect'), ssl: of('ssl'), ttfb: of('ttfb'), ttlb: of('ttlb') };
    },
    running: () => running,
  };
}

/** Milliseconds cut to whole microseconds: finer digits are noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
