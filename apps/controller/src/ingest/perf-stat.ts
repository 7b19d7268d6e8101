import { isGood } from '@vantage/domain';
import { countOf, type Histogram, mergeHistograms, percentile } from '@vantage/health';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { ParsedResult } from './record.ts';
import { perf } from './rows.ts';

const hourUs = 3_600_000_000;
const weekUs = 168 * hourUs;
const weeks = 4;
const fewestChecks = 100;
const maxKept = 100_000;

/**
 * Above which latency (milliseconds) a check is slow by its own past: three times the median and the 99th percentile; undefined
 * while the past is too short. Pure.
 */
export function slowLimit(past: Histogram): number | undefined {
  if (countOf(past) < fewestChecks) return undefined;
  const median = percentile(past, 0.5);
  const high = percentile(past, 0.99);
  return median === undefined || high === undefined ? undefined : Math.max(3 * median, high);
}

/** `PerfStat` of a result: Error, Slow by the limit in its Options or by its own past, else Ok. Pure. */
export function perfOf(result: ParsedResult, limitMs: number | undefined): number {
  if (!isGood(result.code)) return perf.error;
  const requestMs = (result.endUs - result.startUs) / 1000;
  return result.slow || (limitMs !== undefined && requestMs > limitMs) ? perf.slow : perf.ok;
}

/** Limits by device for one Location at a time of the week. */
export interface Baselines {
  /** One answer for each result, in order; asks the database only for what it has not been asked this hour. */
  limits(
    db: Kysely<Tables>,
    locationNo: number,
    results: readonly ParsedResult[],
  ): Promise<(number | undefined)[]>;
}

/** Makes the baselines: the same hour of the week in the four weeks before, from the hourly roll-ups, kept per device and hour. */
export function createBaselines(): Baselines {
  const kept = new Map<string, number | undefined>();
  return {
    async limits(db, locationNo, results) {
      const keyOf = (result: ParsedResult) => `${locationNo}/${result.deviceNo}/${hourOf(result)}`;
      const missing = results.filter((result) => isGood(result.code) && !kept.has(keyOf(result)));
      const fetched = new Map<string, number | undefined>();
      const wanted = new Map(missing.map((result) => [keyOf(result), result]));
      const pasts = await loadPasts(db, locationNo, [...wanted.values()]);
      for (const [key, { deviceNo, startUs }] of wanted) {
        const past = pasts.get(`${deviceNo}/${hourOf({ startUs })}`) ?? [];
        fetched.set(key, slowLimit(mergeHistograms(past)));
      }
      const limits = results.map((result) => fetched.get(keyOf(result)) ?? kept.get(keyOf(result)));
      if (kept.size + fetched.size > maxKept) kept.clear();
      for (const [key, limit] of fetched) kept.set(key, limit);
      return limits;
    },
  };
}

function hourOf({ startUs }: Pick<ParsedResult, 'startUs'>): number {
  return startUs - (startUs % hourUs);
}

/** By `device/hour`: the histograms of the same hour in the weeks before, for all results in one statement. */
async function loadPasts(
  db: Kysely<Tables>,
  locationNo: number,
  results: readonly ParsedResult[],
): Promise<Map<string, Histogram[]>> {
  if (results.length === 0) return new Map();
  const { rows } = await sql<{ key: string; histogram: Histogram }>`
    select g.device_no || '/' || g.hour_us as key, r.histogram
    from unnest(${results.map((one) => one.deviceNo)}::int[], ${results.map(hourOf)}::bigint[]) as g (device_no, hour_us)
    cross join generate_series(1, ${weeks}::int) as week
    join rollup_hourly r on r.device_no = g.device_no and r.bucket_us = g.hour_us - week * ${weekUs}::bigint
      and r.location_no = ${locationNo}`.execute(db);
  const pasts = new Map<string, Histogram[]>();
  for (const [key, group] of Map.groupBy(rows, (row) => row.key))
    pasts.set(
      key,
      group.map((row) => row.histogram),
    );
  return pasts;
}
