import { dayMs, dayUs, hourUs, minuteUs } from '@vantage/domain';
import { invalid } from '@vantage/rest-kit/problem';
import type { Zone } from '@vantage/rest-kit/zone';
import { beginOfDay, beginOfQuarter } from '../history/bucket-begin.ts';
import type { HistoryPeriod } from '../history/period.ts';

export const valueBuckets = ['Raw', '5Min', '30Min', 'Hour', '6Hour', 'Day'] as const;
export type ValueBucket = (typeof valueBuckets)[number];

/** The buckets that `Points` chooses from, the narrowest first. */
export const chosenValueBuckets = [
  '5Min',
  '30Min',
  'Hour',
  '6Hour',
  'Day',
] as const satisfies readonly ValueBucket[];

/** Usual widths, microseconds. A check is taken at most every 5 s. */
const widths = {
  Raw: 5_000_000,
  '5Min': 5 * minuteUs,
  '30Min': 30 * minuteUs,
  Hour: hourUs,
  '6Hour': 6 * hourUs,
  Day: dayUs,
} as const satisfies Record<ValueBucket, number>;

/** The buckets of an answer. `days`: the days that a bucket of `Day` has. */
export interface Bucketing {
  readonly bucket: ValueBucket;
  readonly days: number;
}

/** The bucketing of a request. Throws a Problem (1004) where both parameters were sent. */
export function readBucketing(
  { Bucket, Points }: { readonly Bucket?: ValueBucket | undefined; readonly Points?: number | undefined },
  { fromUs, toUs }: HistoryPeriod,
): Bucketing {
  if (Points === undefined) return { bucket: Bucket ?? 'Hour', days: 1 };
  if (Bucket !== undefined)
    throw invalid([{ field: 'Points', message: 'must not be sent together with Bucket' }]);
  // The first bucket and the last one may be cut.
  const fits = (bucket: ValueBucket) => (toUs - fromUs) / widths[bucket] + 1 <= Points;
  const bucket = chosenValueBuckets.find(fits);
  if (bucket !== undefined) return { bucket, days: 1 };
  const days = Math.ceil((toUs - fromUs) / dayUs) + 1;
  // A bucket more at the ends, unless one bucket has all.
  return { bucket: 'Day', days: Points === 1 ? Number.POSITIVE_INFINITY : Math.ceil(days / (Points - 1)) };
}

/** The number of buckets that a series may have in a period; undefined: it depends on its checks. */
export function bucketCount(
  { bucket, days }: Bucketing,
  { fromUs, toUs }: HistoryPeriod,
): number | undefined {
  return bucket === 'Raw' ? undefined : Math.ceil((toUs - fromUs) / widths[bucket] / days) + 1;
}

/** Whether the buckets are made of whole hours, so that sums of hours serve. */
export function isOfHours({ bucket }: Bucketing): boolean {
  return widths[bucket] >= hourUs;
}

/** Returns the start of the bucket that has a time. Hours are those of UTC, longer buckets those of the zone. */
export function bucketBegins(
  { bucket, days }: Bucketing,
  { fromUs }: HistoryPeriod,
  zone: Zone,
): (us: number) => number {
  const ofHours = new Map<number, number>();
  const ofHour = (us: number, find: (local: string) => number | undefined) => {
    const hour = us - (us % hourUs);
    const known = ofHours.get(hour);
    if (known !== undefined) return known;
    const begin = find(zone.format(hour)) ?? hour;
    ofHours.set(hour, begin);
    return begin;
  };
  switch (bucket) {
    case 'Raw':
      return (us) => us;
    case '5Min':
    case '30Min':
    case 'Hour':
      return (us) => us - (us % widths[bucket]);
    case '6Hour':
      return (us) => ofHour(us, (local) => beginOfQuarter(local, zone));
    case 'Day':
      if (days === Number.POSITIVE_INFINITY) return () => fromUs;
      return (us) => ofHour(us, (local) => beginOfDay(firstDate(local.slice(0, 10), days), zone));
  }
}

/** The first date of the group of `days` dates that has this one. */
function firstDate(date: string, days: number): string {
  const dayNo = Date.parse(date) / dayMs;
  return new Date((dayNo - (dayNo % days)) * dayMs).toISOString().slice(0, 10);
}
