import type { Clock } from '@vantage/kernel';
import type { Phase, Phases, Stopwatch } from '../contract/dial.ts';

/** Creates a stopwatch. No phase runs until the first is entered. */
export function createStopwatch(clock: Pick<Clock, 'monoMs'>): Stopwatch {
  return new RunningStopwatch(clock);
}

/** A class for the same reason as `RunningCheck`. */
class RunningStopwatch implements Stopwatch {
  private readonly clock: Pick<Clock, 'monoMs'>;
  private readonly sums: Record<Phase, number> = { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 };
  private phase: Phase | undefined;
  private sinceMs: number | undefined;

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.clock = clock;
  }

  enter(phase: Phase): void {
    this.settle(phase, this.clock.monoMs());
  }

  follow(phase: Phase): void {
    const nowMs = this.clock.monoMs();
    this.settle(phase, this.phase === undefined ? (this.sinceMs ?? nowMs) : nowMs);
  }

  pause(): void {
    this.settle(undefined, this.clock.monoMs());
  }

  conclude(phase: Phase, ms: number): void {
    if (this.phase === phase) this.phase = undefined;
    this.pause();
    this.sums[phase] = ms;
  }

  read(): Phases {
    const { sums, phase, sinceMs } = this;
    const open = phase === undefined || sinceMs === undefined ? 0 : this.clock.monoMs() - sinceMs;
    return {
      dns: toMicroseconds(sums.dns + (phase === 'dns' ? open : 0)),
      connect: toMicroseconds(sums.connect + (phase === 'connect' ? open : 0)),
      ssl: toMicroseconds(sums.ssl + (phase === 'ssl' ? open : 0)),
      ttfb: toMicroseconds(sums.ttfb + (phase === 'ttfb' ? open : 0)),
      ttlb: toMicroseconds(sums.ttlb + (phase === 'ttlb' ? open : 0)),
    };
  }

  running(): Phase | undefined {
    return this.phase;
  }

  private settle(next: Phase | undefined, nowMs: number): void {
    if (this.phase !== undefined) this.sums[this.phase] += nowMs - (this.sinceMs ?? nowMs);
    this.phase = next;
    this.sinceMs = nowMs;
  }
}

/** Finer digits are noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
