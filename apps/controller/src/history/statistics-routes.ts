import { dayUs, hourUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../db/index.ts';
import { idField, timestampField } from '../http/field.ts';
import { timestampQuery } from '../http/paging.ts';
import { invalid } from '../http/problem.ts';
import { type Route, route } from '../http/route.ts';
import type { Zone } from '../http/zone.ts';
import type { DeviceSubject, FoundDevice } from './check-routes.ts';
import { type Period, readPeriod } from './period.ts';
import { segmentsOf } from './segments.ts';
import {
  type LatencyScale,
  type RollUpReader,
  readFirstCheckUs,
  readLocationNames,
  readTallies,
  type Tally,
} from './statistics-store.ts';

export type { RollUpReader } from './statistics-store.ts';

/** Histograms of latencies as the roll-ups keep them. */
interface Histograms {
  readonly scale: LatencyScale;
  merge(histograms: Iterable<Tally['histogram']>): Tally['histogram'];
  /** Milliseconds that the share `p` (0..1) does not exceed; undefined when empty. */
  percentile(histogram: Tally['histogram'], p: number): number | undefined;
}

const percent = z.number().min(0).max(100).nullable();
const time = z.number().min(0).nullable();

const statisticsRow = z
  .strictObject({
    Timestamp: timestampField.describe('Begin of the bucket.'),
    Location: z.string(),
    location_id: idField.nullable(),
    Count: z.int().describe('Regular checks. Errors, Availability, Loss and all times are of these only.'),
    Retries: z.int().describe('Retries after an error; not in Count.'),
    OnRequest: z.int().describe('Checks that somebody or the controller requested; not in Count.'),
    Errors: z.int().describe('Checks that found an error (ResultCode 2 to 8).'),
    Inconclusive: z.int().describe('Checks that say nothing about the device (ResultCode 9 and 10).'),
    Availability: percent.describe(
      'Percent of good checks among those that say something; null: there is none.',
    ),
    Loss: percent.describe('Percent of PING packets lost; null: none was sent.'),
    MinTime: time.describe('Least RequestTime of good checks, milliseconds.'),
    MeanTime: time,
    MaxTime: time,
    P50: time.describe('Percentiles of RequestTime, within 2 percent.'),
    P90: time,
    P95: time,
    P99: time,
  })
  .meta({ id: 'Statistics' });

const buckets = ['All', 'Hour', 'Day'] as const;
const bucketUs = { All: Number.POSITIVE_INFINITY, Hour: hourUs, Day: dayUs } as const;
const maxBuckets = 10_000;

/** The parts that the routes of statistics need. */
interface StatisticsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly histograms: Histograms;
  readonly rollUps: RollUpReader;
}

/** Figures of a device per Location, from roll-ups, and from raw checks where no roll-up exists. */
export function statisticsRoutes({ db, clock, device, histograms, rollUps }: StatisticsDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/{device_id}/statistics',
      level: 'UR',
      tag: 'Statistics',
      summary: 'Count, availability, loss and percentiles per Location.',
      subject: device,
      query: z.object({
        Timestamp1: timestampQuery('Begin; default: since creation.'),
        Timestamp2: timestampQuery('End; default, and at most: now.'),
        Bucket: z
          .enum(buckets)
          .default('All')
          .describe("All: the whole period; Day: days of the account's time zone."),
      }),
      response: z.array(statisticsRow),
      names: { root: 'statistics', row: 'bucket' },
      handler: async ({ session: { zone }, subject, query }) => {
        const period = readPeriod(query, { zone, createdUs: subject.created_us, nowUs: clock.nowUs() });
        if ((period.toUs - period.fromUs) / bucketUs[query.Bucket] > maxBuckets)
          throw invalid([
            { field: 'Bucket', message: `would make more than ${maxBuckets} buckets of this period` },
          ]);
        const tallies = await talliesOf(
          { db, rollUps, scale: histograms.scale, nowUs: clock.nowUs() },
          subject,
          period,
          query.Bucket,
        );
        const groups = group(tallies, query.Bucket, period, zone);
        const places = await readLocationNames(db, [
          ...new Set(tallies.map(({ location_no }) => location_no)),
        ]);
        return {
          body: groups.map(({ fromUs, tallies: parts }) => {
            const place = places.get(parts[0]?.location_no ?? 0);
            return {
              Timestamp: zone.format(fromUs),
              Location: place?.name ?? '',
              location_id: place?.location_id ?? null,
              ...figures(parts, histograms),
            };
          }),
        };
      },
    }),
  ];
}

/** All tallies of a device in a period, in the order of time. */
async function talliesOf(
  deps: Parameters<typeof readTallies>[0],
  { device_no: deviceNo, created_us: createdUs }: FoundDevice,
  period: Period,
  bucket: (typeof buckets)[number],
): Promise<readonly Tally[]> {
  const { db, rollUps } = deps;
  const progress = await rollUps.readProgress(db.kysely);
  // A period may begin two thousand empty years ago. The statistics begin at the first data instead.
  const firstUs = period.fromUs < createdUs ? await readFirstUs(deps, deviceNo) : period.fromUs;
  const known = { ...period, fromUs: Math.max(period.fromUs, firstUs ?? period.toUs) };
  const tallies: Tally[] = [];
  for (const segment of segmentsOf(known, { ...progress, days: bucket === 'All' }))
    tallies.push(...(await readTallies(deps, deviceNo, segment)));
  return tallies;
}

/** The begin of a device's first roll-up or check; undefined where it has none. */
async function readFirstUs(
  { db, rollUps }: { readonly db: Db; readonly rollUps: RollUpReader },
  deviceNo: number,
): Promise<number | undefined> {
  const [bucketUs, checkUs] = await Promise.all([
    rollUps.firstBucketUs(db.kysely, deviceNo),
    readFirstCheckUs(db, deviceNo),
  ]);
  return bucketUs === undefined ? checkUs : Math.min(bucketUs, checkUs ?? bucketUs);
}

interface Group {
  readonly fromUs: number;
  readonly tallies: readonly Tally[];
}

/** Tallies by bucket and Location, in order. */
function group(
  tallies: readonly Tally[],
  bucket: (typeof buckets)[number],
  period: Period,
  zone: Zone,
): readonly Group[] {
  const groups = new Map<string, { fromUs: number; tallies: Tally[] }>();
  for (const tally of tallies) {
    const fromUs = beginOf(tally.bucket_us, bucket, period, zone);
    const name = `${fromUs}/${tally.location_no}`;
    const known = groups.get(name);
    if (known === undefined) groups.set(name, { fromUs, tallies: [tally] });
    else known.tallies.push(tally);
  }
  const place = ({ tallies: [first] }: Group) => first?.location_no ?? 0;
  return [...groups.values()].sort((a, b) => a.fromUs - b.fromUs || place(a) - place(b));
}

function beginOf(us: number, bucket: (typeof buckets)[number], period: Period, zone: Zone): number {
  switch (bucket) {
    case 'All':
      return period.fromUs;
    case 'Hour':
      return us;
    case 'Day':
      return zone.parse(`${zone.format(us).slice(0, 10)}T00:00:00`) ?? us;
  }
}

function figures(parts: readonly Tally[], histograms: Histograms) {
  const sum = (read: (tally: Tally) => number) => parts.reduce((all, tally) => all + read(tally), 0);
  const count = sum(({ checks }) => checks);
  const errors = sum((tally) => tally.errors);
  const inconclusive = sum((tally) => tally.inconclusive);
  const good = count - errors - inconclusive;
  const sent = sum((tally) => tally.sent);
  const histogram = histograms.merge(parts.map((tally) => tally.histogram));
  const withGood = parts.filter((tally) => tally.checks > tally.errors + tally.inconclusive);
  const least = Math.min(...withGood.map((tally) => tally.min_ms));
  const most = Math.max(...withGood.map((tally) => tally.max_ms));
  // A histogram knows its latencies within 2 percent; the extremes are known exactly.
  const percentile = (p: number) => {
    const found = histograms.percentile(histogram, p);
    return orNull(found === undefined ? undefined : Math.min(most, Math.max(least, found)));
  };
  const orNull = (value: number | undefined) =>
    value === undefined || good === 0 ? null : Math.round(value * 1000) / 1000;
  return {
    Count: count,
    Retries: sum(({ retries }) => retries),
    OnRequest: sum(({ on_request }) => on_request),
    Errors: errors,
    Inconclusive: inconclusive,
    Availability: good + errors === 0 ? null : Math.round((good / (good + errors)) * 1e6) / 1e4,
    Loss: sent === 0 ? null : Math.round((sum((tally) => tally.lost) / sent) * 1e6) / 1e4,
    MinTime: orNull(least),
    MeanTime: orNull(sum((tally) => tally.sum_ms) / Math.max(1, good)),
    MaxTime: orNull(most),
    P50: percentile(0.5),
    P90: percentile(0.9),
    P95: percentile(0.95),
    P99: percentile(0.99),
  };
}
