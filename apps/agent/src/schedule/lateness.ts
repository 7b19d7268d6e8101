/** The lateness of checks in a period. */
export interface Lateness {
  /** Milliseconds by which checks started after their due time. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly started: number;
  /** Due, but not started. */
  readonly skipped: number;
}

/** The lateness of a period without checks. */
export const nothingMeasured: Lateness = { p50Ms: 0, p99Ms: 0, started: 0, skipped: 0 };

/** Collects the lateness of checks. */
export interface LatenessMeter {
  started(lateMs: number): void;
  skipped(count: number): void;
  /** Returns the lateness since the last call. */
  take(): Lateness;
  /** The checks since the process started. */
  readonly totals: Pick<Lateness, 'started' | 'skipped'>;
}

/** The meter keeps so many samples; later ones overwrite older ones. */
const bound = 20_000;

/** Creates an empty meter. */
export function createLatenessMeter(): LatenessMeter {
  let samples: number[] = [];
  let started = 0;
  let skipped = 0;
  const totals = { started: 0, skipped: 0 };
  return {
    totals,
    started(lateMs) {
      if (samples.length < bound) samples.push(lateMs);
      else samples[started % bound] = lateMs;
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
