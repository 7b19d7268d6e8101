import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import { countOf, type Histogram, mergeHistograms, percentile } from './histogram.ts';
import type { ParsedResult } from './record.ts';
import { perf } from './rows.ts';

const hourUs = 3_600_000_000;
const weekUs = 168 * hourUs;
const weeks = 4;
const fewestChecks = 100;
const mostKept = 100_000;

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
  if (result.code !== 1) return perf.error;
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
      const missing = results.filter((result) => result.code === 1 && !kept.has(keyOf(result)));
      const fetched = new Map<string, number | undefined>();
      for (const [hour, group] of Map.groupBy(missing, hourOf)) {
        const limits = await loadLimits(db, locationNo, hour, group);
        for (const [deviceNo, limit] of limits) fetched.set(`${locationNo}/${deviceNo}/${hour}`, limit);
      }
      const limits = results.map((result) => fetched.get(keyOf(result)) ?? kept.get(keyOf(result)));
      if (kept.size + fetched.size > mostKept) kept.clear();
      for (const [key, limit] of fetched) kept.set(key, limit);
      return limits;
    },
  };
}

function hourOf(result: ParsedResult): number {
  return result.startUs - (result.startUs % hourUs);
}

async function loadLimits(
  db: Kysely<Tables>,
  locationNo: number,
  hour: number,
  results: readonly ParsedResult[],
): Promise<Map<number, number | undefined>> {
  const deviceNos = [...new Set(results.map((result) => result.deviceNo))];
  const buckets = Array.from({ length: weeks }, (_, i) => hour - (i + 1) * weekUs);
  const rows = await db
    .selectFrom('rollup_hourly')
    .select(['device_no', 'histogram'])
    .where(sql<boolean>`device_no = any(${deviceNos}::int[])`)
    .where(sql<boolean>`bucket_us = any(${buckets}::bigint[])`)
    .where('location_no', '=', locationNo)
    .execute();
  const byDevice = Map.groupBy(rows, (row) => row.device_no);
  return new Map(
    deviceNos.map((deviceNo) => [
      deviceNo,
      slowLimit(mergeHistograms((byDevice.get(deviceNo) ?? []).map((row) => row.histogram))),
    ]),
  );
}
