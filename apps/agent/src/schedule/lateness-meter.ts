/** The lateness of checks in a period. */
export interface Lateness {
  /** Delay of checks after their due times, milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly started: number;
  /** Checks that were due and not started. */
  readonly skipped: number;
}

/** The lateness of a period without checks. */
export const nothingMeasured: Lateness = { p50Ms: 0, p99Ms: 0, started: 0, skipped: 0 };

export interface LatenessMeter {
  started(lateMs: number): void;
  skipped(count: number): void;
  /** Returns the lateness since the last call. */
  take(): Lateness;
  /** The checks since the process started. */
  readonly totals: Pick<Lateness, 'started' | 'skipped'>;
}

/** Later samples overwrite older ones. */
const maxSamples = 20_000;

export function createLatenessMeter(): LatenessMeter {
  let samples: number[] = [];
  let started = 0;
  let skipped = 0;
  const totals = { started: 0, skipped: 0 };
  return {
    totals,
    started(lateMs) {
      if (samples.length < maxSamples) samples.push(lateMs);
      else samples[started % maxSamples] = lateMs;
      started += 1;
      totals.started += 1;
    },
    skipped(count) {
      skipped += count;
      totals.skipped += count;
    },
    take() {
      const sorted = samples.sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
      const taken = { p50Ms: at(0.5), p99Ms: at(0.99), started, skipped };
      samples = [];
      started = 0;
      skipped = 0;
      return taken;
    },
  };
}
