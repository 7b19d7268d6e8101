import { hourMs } from '@vantage/domain/units';
import { type Bucket, bucketsOf, bucketsOfSums } from '../../model/buckets.ts';
import { api, take } from '../../store/api.ts';
import type { Check } from './read-detail.ts';

/** How far back a chart goes. */
export type HistorySpan = 'day' | 'week' | 'quarter';

const spanMs = { day: 24 * hourMs, week: 7 * 24 * hourMs, quarter: 90 * 24 * hourMs } as const;
const bucketMs = { day: hourMs / 4, week: hourMs, quarter: 24 * hourMs } as const;
const sizes = { week: 'Hour', quarter: 'Day' } as const;
const pageSize = 100;
/** A check each minute is 15 pages of a day; retries come on top. */
const mostPages = 30;

/** The data of a chart, and the Locations to which it can be narrowed. */
export interface History {
  readonly from: number;
  readonly to: number;
  readonly buckets: readonly Bucket[];
  readonly locations: readonly string[];
  /** Of which the buckets are made; none of sums. */
  readonly checks: readonly Check[];
}

/**
 * Reads the times of a device. The day is made of its checks; longer spans of sums by Location.
 */
export async function readHistory(
  device_id: string,
  span: HistorySpan,
  location: string | undefined,
): Promise<History> {
  const to = Date.now();
  const from = to - spanMs[span];
  if (span === 'day') {
    const checks = await readChecks(device_id, from);
    const locations = [...new Set(checks.map(({ Location }) => Location))].sort();
    const chosen = checks.filter(({ Location }) => location === undefined || Location === location);
    return { from, to, locations, checks, buckets: bucketsOf(chosen, { from, to, bucketMs: bucketMs.day }) };
  }
  const query = { Bucket: sizes[span], Timestamp1: new Date(from).toISOString(), With: 'Phases' };
  const sums = await take(
    api.GET('/devices/{device_id}/statistics', { params: { path: { device_id }, query } }),
  );
  const locations = [...new Set(sums.map(({ Location }) => Location))].sort();
  // Percentiles of several Locations do not add up to one.
  const shown = sums.filter(({ Location }) => Location === (location ?? locations[0]));
  return { from, to, locations, checks: [], buckets: bucketsOfSums(shown, bucketMs[span]) };
}

async function readChecks(device_id: string, from: number): Promise<readonly Check[]> {
  const checks: Check[] = [];
  const Timestamp1 = new Date(from).toISOString();
  for (let page = 0; page < mostPages; page += 1) {
    const before = checks.at(-1)?.check_id;
    const query = { Limit: pageSize, Timestamp1, ...(before === undefined ? {} : { Before: before }) };
    const found = await take(
      api.GET('/devices/{device_id}/checks', { params: { path: { device_id }, query } }),
    );
    checks.push(...found);
    if (found.length < pageSize) break;
  }
  return checks;
}
