/** What the scheduler tells of a stretch of time. */
export interface Lateness {
  /** Milliseconds by which checks started after their due time. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly started: number;
  /** Due, but not started. */
  readonly skipped: number;
}

/** Of a stretch in which nothing was measured. */
export const nothingMeasured: Lateness = { p50Ms: 0, p99Ms: 0, started: 0, skipped: 0 };

/** Collects lateness between two readings. */
export interface LatenessMeter {
  started(lateMs: number): void;
  skipped(count: number): void;
  /** What was collected since the last reading. */
  take(): Lateness;
}

/** More samples than this are thinned evenly. */
const bound = 20_000;

/** Makes an empty meter. */
export function createLatenessMeter(): LatenessMeter {
  let samples: number[] = [];
  let started = 0;
  let skipped = 0;
  return {
    started(lateMs) {
      if (samples.length < bound) samples.push(lateMs);
      else samples[started % bound] = lateMs;
      started += 1;
    },
    skipped(count) {
      skipped += count;
    },
    take() {
      const sorted = samples.sort((a, b) => a - b);
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      const taken = { p50Ms: at(0.5), p99Ms: at(0.99), started, skipped };
      samples = [];
      started = 0;
      skipped = 0;
      return taken;
    },
  };
}
