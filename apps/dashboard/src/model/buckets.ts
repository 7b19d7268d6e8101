import { percentile } from './percentile.ts';

/** The fields of a check that a chart of phases shows. Times are milliseconds. */
export interface Timed {
  readonly check_id: string;
  readonly Timestamp: string;
  readonly ResultCode: number;
  readonly RequestTime: number;
  readonly DNSTime: number;
  readonly ConnectTime: number;
  readonly SSLTime: number;
  readonly TTFB: number;
  readonly TTLB: number;
}

/** The phases of a check in the order of time. */
export const phases = [
  ['dns', 'DNSTime'],
  ['connect', 'ConnectTime'],
  ['tls', 'SSLTime'],
  ['first', 'TTFB'],
  ['transfer', 'TTLB'],
] as const;

type PhaseField = (typeof phases)[number][1];

/** A time of the chart. Null: there is no check that says it, which is a gap and never a zero. */
export interface Bucket {
  /** Its begin, milliseconds since 1970. */
  readonly at: number;
  /** Phases of the median good check, or their means; null too where only the whole is known. */
  readonly phases: readonly number[] | null;
  readonly median: number | null;
  readonly p95: number | null;
  /** Percent of the checks that failed, of those that say something. */
  readonly loss: number | null;
  /** A failed check of it, or else its median one. */
  readonly check_id: string | null;
}

const isGood = ({ ResultCode }: Timed) => ResultCode === 1;
/** Codes 9 and 10 say nothing of the device. */
const isBad = ({ ResultCode }: Timed) => ResultCode > 1 && ResultCode < 9;

/** Checks of any order in buckets of `bucketMs` that begin at its multiples, from `from` to `to`. */
export function bucketsOf(
  checks: readonly Timed[],
  { from, to, bucketMs }: { readonly from: number; readonly to: number; readonly bucketMs: number },
): readonly Bucket[] {
  const numberOf = (ms: number) => Math.floor(ms / bucketMs);
  const held = Map.groupBy(checks, ({ Timestamp }) => numberOf(Date.parse(Timestamp)));
  const first = numberOf(from);
  return Array.from({ length: numberOf(to) - first + 1 }, (_, index) => {
    const inside = held.get(first + index) ?? [];
    return { at: (first + index) * bucketMs, ...sumUp(inside) };
  });
}

function sumUp(checks: readonly Timed[]): Omit<Bucket, 'at'> {
  const good = checks.filter(isGood).sort((a, b) => a.RequestTime - b.RequestTime);
  const bad = checks.filter(isBad);
  const median = good[Math.max(0, Math.ceil(good.length / 2) - 1)];
  const said = good.length + bad.length;
  return {
    phases: median === undefined ? null : phases.map(([, field]) => median[field]),
    median: median?.RequestTime ?? null,
    p95:
      percentile(
        good.map(({ RequestTime }) => RequestTime),
        0.95,
      ) ?? null,
    loss: said === 0 ? null : (bad.length / said) * 100,
    check_id: (bad[0] ?? median)?.check_id ?? null,
  };
}

/** Sums of the API for one Location as buckets, with mean phases. Hours and days without checks are gaps. */
export function bucketsOfSums(
  sums: readonly {
    readonly Timestamp: string;
    readonly Count: number;
    readonly Errors: number;
    readonly Inconclusive: number;
    readonly P50: number | null;
    readonly P95: number | null;
    readonly Phases?: Readonly<Record<PhaseField, { readonly Mean: number | null }>> | null | undefined;
  }[],
  bucketMs: number,
): readonly Bucket[] {
  const buckets: Bucket[] = [];
  for (const { Timestamp, Count, Errors, Inconclusive, P50, P95, Phases } of sums) {
    const at = Date.parse(Timestamp);
    const last = buckets.at(-1)?.at;
    const none = { phases: null, median: null, p95: null, loss: null, check_id: null };
    // A day of a clock change is longer or shorter by an hour.
    if (last !== undefined && at - last > bucketMs * 1.5) buckets.push({ at: last + bucketMs, ...none });
    const said = Count - Inconclusive;
    const loss = said === 0 ? null : (Errors / said) * 100;
    const means = Phases ? phases.map(([, field]) => Phases[field].Mean ?? 0) : null;
    buckets.push({ at, phases: means, median: P50, p95: P95, loss, check_id: null });
  }
  return buckets;
}
