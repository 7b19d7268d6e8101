import { phases } from './phases.ts';
import type { TimeSpan } from './time-range.ts';

type PhaseField = (typeof phases)[number][1];

/** The fields of a check that the axis shows. Times are milliseconds. */
export interface TimedCheck extends Readonly<Record<PhaseField, number>> {
  readonly Timestamp: string;
  readonly Location: string;
  readonly ResultCode: number;
  readonly RequestTime: number;
}

/** A bucket of one Location, or of all. Null: no check has the value, which is drawn as a gap and never as zero. */
export interface AxisBucket extends TimeSpan {
  /** Times of the phases, which add up to the median; also null where only the total is known. */
  readonly phases: readonly number[] | null;
  readonly median: number | null;
  readonly p95: number | null;
  readonly good: number;
  readonly bad: number;
}

/** A row of the API's statistics. */
export interface StatisticsRow {
  readonly Timestamp: string;
  readonly Location: string;
  readonly Count: number;
  readonly Errors: number;
  readonly Inconclusive: number;
  readonly P50: number | null;
  readonly P95: number | null;
  readonly Phases?: Readonly<Record<PhaseField, { readonly P50: number | null }>> | null | undefined;
}

/** The buckets of each Location, in the order of time. */
type AxisBuckets = ReadonlyMap<string, readonly AxisBucket[]>;

/** Statistics as buckets that end with the span. A day of a clock change is an hour longer or shorter. */
function bucketsOfStatistics(
  rows: readonly StatisticsRow[],
  bucketMs: number,
  { to }: TimeSpan,
): AxisBuckets {
  const byLocation = Map.groupBy(rows, ({ Location }) => Location);
  return new Map([...byLocation].map(([location, own]) => [location, bucketsOfLocation(own, bucketMs, to)]));
}

function bucketsOfLocation(
  rows: readonly StatisticsRow[],
  bucketMs: number,
  to: number,
): readonly AxisBucket[] {
  return rows.map((row, at) => {
    const from = Date.parse(row.Timestamp);
    const next = Date.parse(rows[at + 1]?.Timestamp ?? '');
    const end = next - from < bucketMs * 1.5 ? next : from + bucketMs;
    const good = row.Count - row.Errors - row.Inconclusive;
    return {
      from,
      to: Math.min(end, to),
      phases: row.Phases
        ? inProportion(
            phases.map(([, field]) => row.Phases?.[field].P50 ?? 0),
            row.P50,
          )
        : null,
      median: row.P50,
      p95: row.P95,
      good,
      bad: row.Errors,
    };
  });
}

/**
 * Parts of the median RequestTime in proportion to the medians of the phases: those alone do not add up to it. Null
 * where no phase was measured.
 */
function inProportion(medians: readonly number[], total: number | null): readonly number[] | null {
  const sum = medians.reduce((all, ms) => all + ms, 0);
  if (total === null || sum === 0) return null;
  return medians.map((ms) => (ms / sum) * total);
}

/** Checks in the order of time as buckets: each one reaches to the next, or for one and a half periods. */
function bucketsOfRaw(checks: readonly TimedCheck[], periodMs: number, to: number): readonly AxisBucket[] {
  return checks.map((check, at) => {
    const from = Date.parse(check.Timestamp);
    const next = Date.parse(checks[at + 1]?.Timestamp ?? '');
    const isGood = check.ResultCode === 1;
    return {
      from,
      to: Math.min(next - from <= periodMs * 1.5 ? next : from + periodMs, to),
      phases: isGood ? phases.map(([, field]) => check[field]) : null,
      median: isGood ? check.RequestTime : null,
      p95: null,
      good: isGood ? 1 : 0,
      // Codes 9 and 10 are inconclusive.
      bad: check.ResultCode > 1 && check.ResultCode < 9 ? 1 : 0,
    };
  });
}

/** The data of the rows of the axis. */
export interface AxisData {
  readonly locations: AxisBuckets;
  readonly loss: readonly LossBucket[];
}

interface LossBucket extends TimeSpan {
  /** Percentage of failed checks; null: no check was conclusive. */
  readonly percent: number | null;
}

/** Single checks, in any order, as buckets. `periodMs` is the time between checks of the device. Pure. */
export function dataOfChecks(checks: readonly TimedCheck[], periodMs: number, { to }: TimeSpan): AxisData {
  const inOrder = checks.toSorted((a, b) => Date.parse(a.Timestamp) - Date.parse(b.Timestamp));
  const byLocation = Map.groupBy(inOrder, ({ Location }) => Location);
  // Locations take turns.
  const ownMs = periodMs * Math.max(1, byLocation.size);
  return {
    locations: new Map([...byLocation].map(([location, own]) => [location, bucketsOfRaw(own, ownMs, to)])),
    loss: bucketsOfRaw(inOrder, periodMs, to).map(percentOf),
  };
}

/** Statistics as buckets. Pure. */
export function dataOfStatistics(rows: readonly StatisticsRow[], bucketMs: number, span: TimeSpan): AxisData {
  const locations = bucketsOfStatistics(rows, bucketMs, span);
  return { locations, loss: lossOf(locations) };
}

function percentOf({ from, to, good, bad }: Pick<AxisBucket, 'from' | 'to' | 'good' | 'bad'>): LossBucket {
  return { from, to, percent: good + bad === 0 ? null : (bad / (good + bad)) * 100 };
}

/** The percentage of failed checks of all Locations by bucket. */
function lossOf(buckets: AxisBuckets): readonly LossBucket[] {
  const sums = new Map<number, { from: number; to: number; good: number; bad: number }>();
  for (const { from, to, good, bad } of [...buckets.values()].flat()) {
    const sum = sums.get(from) ?? { from, to, good: 0, bad: 0 };
    sums.set(from, { from, to: Math.max(sum.to, to), good: sum.good + good, bad: sum.bad + bad });
  }
  return [...sums.values()].sort((a, b) => a.from - b.from).map(percentOf);
}

/** The bucket that holds a moment. Buckets are in the order of time. Pure. */
export function bucketAt<Bucket extends TimeSpan>(
  buckets: readonly Bucket[],
  at: number,
): Bucket | undefined {
  return buckets.find(({ from, to }) => from <= at && at < to);
}

/** The top of a scale of times: the next 1, 2 or 4 × 10ⁿ. Pure. */
export function scaleTop(ms: number): number {
  if (!(ms > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(ms));
  return [1, 2, 4, 10].map((factor) => factor * power).find((top) => top >= ms * 0.999_999) ?? 10 * power;
}

/** An SVG path of steps: buckets that touch are joined, and nothing crosses a gap. Pure. */
export function stepPath(
  buckets: readonly TimeSpan[],
  x: (ms: number) => number,
  y: (index: number) => number | null,
): string {
  let path = '';
  let penAt: number | undefined;
  buckets.forEach(({ from, to }, index) => {
    const level = y(index);
    if (level === null) {
      penAt = undefined;
      return;
    }
    const joins = penAt !== undefined && Math.abs(penAt - from) < 1;
    path += `${joins ? 'L' : 'M'}${x(from).toFixed(1)} ${level.toFixed(1)}L${x(to).toFixed(1)} ${level.toFixed(1)}`;
    penAt = to;
  });
  return path;
}
