import type { Phase, Phases, Stopwatch } from './probe.ts';

/** Makes a stopwatch on a monotonic clock (milliseconds with fractions). No phase runs until one is entered. */
export function createStopwatch(monoMs: () => number): Stopwatch {
  const sums: Record<Phase, number> = { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 };
  let running: Phase | undefined;
  let since = 0;
  const settle = (next: Phase | undefined) => {
    const now = monoMs();
    if (running !== undefined) sums[running] += now - since;
    running = next;
    since = now;
  };
  return {
    enter: (phase) => settle(phase),
    pause: () => settle(undefined),
    add(phase, ms) {
      sums[phase] += ms;
    },
    read(): Phases {
      const open = running === undefined ? 0 : monoMs() - since;
      const of = (phase: Phase) => toMicroseconds(sums[phase] + (phase === running ? open : 0));
      return { dns: of('dns'), connect: of('connect'), ssl: of('ssl'), ttfb: of('ttfb'), ttlb: of('ttlb') };
    },
    get running() {
      return running;
    },
  };
}

/** Milliseconds cut to whole microseconds: finer digits are noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
