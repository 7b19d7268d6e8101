import { hourUs, isGood } from '@vantage/domain';
import { countOf, type Histogram, mergeHistograms, percentile } from '@vantage/health';
import { declareState } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { perf } from './check-row.ts';
import type { ParsedResult } from './parse-record.ts';

const weeks = 4;
const fewestChecks = 100;
const maxKept = 100_000;
/** The latency of checks that send nothing, because their Method keeps answers: the smallest of a histogram. */
const nothingSentMs = 0.001;

/**
 * Above which latency (milliseconds) a check is slow by its own past: three times the median and the 99th percentile;
 * undefined while the past is too short, or where most checks sent nothing. Pure.
 */
export function slowLimit(past: Histogram): number | undefined {
  if (countOf(past) < fewestChecks) return undefined;
  const median = percentile(past, 0.5);
  const high = percentile(past, 0.99);
  if (median === undefined || high === undefined || median <= nothingSentMs) return undefined;
  return Math.max(3 * median, high);
}

/** `PerfStat` of a result: Error, Slow by the limit in its Options or by its own past, else Ok. Pure. */
export function perfOf(
  result: Pick<ParsedResult, 'code' | 'startUs' | 'endUs' | 'slow'>,
  limitMs: number | undefined,
): number {
  if (!isGood(result.code)) return perf.error;
  const requestMs = (result.endUs - result.startUs) / 1000;
  return result.slow || (limitMs !== undefined && requestMs > limitMs) ? perf.slow : perf.ok;
}

/** A result and the Location from which its check ran. */
interface LocatedResult {
  readonly locationNo: number;
  readonly result: Pick<ParsedResult, 'deviceNo' | 'startUs' | 'code'>;
}

/** Limits by device and Location at a time of the week. */
export interface Baselines {
  /** One limit for each result, in order. Reads from the database only the limits that this hour has not read yet. */
  limits(db: Kysely<Tables>, located: readonly LocatedResult[]): Promise<(number | undefined)[]>;
}

/** An hour of a device at a Location; `hourUs` is its begin. */
interface LocationHour {
  readonly deviceNo: number;
  readonly locationNo: number;
  readonly hourUs: number;
}

/** Reads the histograms of the same hour in the `weeks` before each of these hours. */
export type PastHistograms = (
  db: Kysely<Tables>,
  ask: { readonly hours: readonly LocationHour[]; readonly weeks: number },
) => Promise<readonly (LocationHour & { readonly histogram: Histogram })[]>;

/**
 * Creates the baselines from the same hour of the week in the four weeks before. They are cached by device and hour.
 */
export function createBaselines(pastHistograms: PastHistograms): Baselines {
  let kept = createLimits();
  return {
    async limits(db, located) {
      const wanted = new Map<string, LocationHour>();
      for (const one of located) {
        if (!isGood(one.result.code) || kept.of(one).has(one.result.deviceNo)) continue;
        const hour = locationHour(one);
        wanted.set(keyOf(hour), hour);
      }
      const found = await pastHistograms(db, { hours: [...wanted.values()], weeks });
      const pasts = Map.groupBy(found, keyOf);
      const fetched = new Map<string, number | undefined>();
      for (const key of wanted.keys()) {
        const past = (pasts.get(key) ?? []).map(({ histogram }) => histogram);
        fetched.set(key, slowLimit(mergeHistograms(past)));
      }
      const limits = located.map(
        (one) =>
          (fetched.size === 0 ? undefined : fetched.get(keyOf(locationHour(one)))) ??
          kept.of(one).get(one.result.deviceNo),
      );
      if (kept.size + fetched.size > maxKept) kept = createLimits();
      for (const [key, hour] of wanted) kept.set(hour, fetched.get(key));
      return limits;
    },
  };
}

const tracked = declareState({
  name: 'past_latencies',
  entries: maxKept,
  entryBytes: 200,
  filledBy: 'agents',
  atBound: 'all are read again',
});

/**
 * Limits by Location and hour, and in it by device. Results that follow each other are mostly of one hour, so its
 * limits are at hand.
 */
function createLimits() {
  const none: ReadonlyMap<number, number | undefined> = new Map();
  const byHour = tracked(new Map<string, Map<number, number | undefined>>());
  let size = 0;
  let last = { locationNo: 0, hourUs: 0, limits: none };
  return {
    /** The limits at a result's Location and hour, by device. */
    of({ locationNo, result }: LocatedResult) {
      const beginUs = beginOfHour(result);
      if (last.locationNo !== locationNo || last.hourUs !== beginUs)
        last = { locationNo, hourUs: beginUs, limits: byHour.get(`${locationNo}/${beginUs}`) ?? none };
      return last.limits;
    },
    set({ locationNo, deviceNo, hourUs: beginUs }: LocationHour, limit: number | undefined) {
      const key = `${locationNo}/${beginUs}`;
      const limits = byHour.get(key) ?? new Map<number, number | undefined>();
      if (!limits.has(deviceNo)) size += 1;
      byHour.set(key, limits.set(deviceNo, limit));
      last = { locationNo, hourUs: beginUs, limits };
    },
    get size() {
      return size;
    },
  };
}

function locationHour(one: LocatedResult): LocationHour {
  return { locationNo: one.locationNo, deviceNo: one.result.deviceNo, hourUs: beginOfHour(one.result) };
}

function beginOfHour({ startUs }: Pick<ParsedResult, 'startUs'>): number {
  return startUs - (startUs % hourUs);
}

function keyOf(hour: LocationHour): string {
  return `${hour.locationNo}/${hour.deviceNo}/${hour.hourUs}`;
}
