import { dayUs, hourUs, minuteUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { someOf } from '@vantage/rest-kit/members';
import { readLocationNos } from '@vantage/rest-kit/named';
import { timestampQuery } from '@vantage/rest-kit/paging';
import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import { beginOfDay, beginOfQuarter } from '../history/bucket-begin.ts';
import type { DeviceSubject } from '../history/check-routes.ts';
import { historyQuery } from '../history/list-filters.ts';
import { type HistoryPeriod, readPeriod } from '../history/period.ts';
import { pointsQuery } from '../history/points-query.ts';
import { segmentsOf } from '../outages/segments.ts';
import { figuresOf, type Histograms, statisticsParts, statisticsRow } from './statistics-figures.ts';
import {
  type RollUpReader,
  readFirstCheckUs,
  readLocationNames,
  readTallies,
  type Tally,
  type TallyAsk,
} from './statistics-store.ts';

export type { RollUpReader } from './statistics-store.ts';

/** Buckets by name, with their usual width, microseconds. */
const bucketUs = {
  All: Number.POSITIVE_INFINITY,
  '5Min': 5 * minuteUs,
  '15Min': 15 * minuteUs,
  Hour: hourUs,
  '6Hour': 6 * hourUs,
  Day: dayUs,
  Week: 7 * dayUs,
} as const;
type Bucket = keyof typeof bucketUs;
const buckets = ['All', '5Min', '15Min', 'Hour', '6Hour', 'Day', 'Week'] as const satisfies readonly Bucket[];
const maxBuckets = 10_000;
/** The buckets that `Points` chooses from, the narrowest first. */
const chosenBuckets = ['5Min', '15Min', 'Hour', '6Hour', 'Day'] as const satisfies readonly Bucket[];

const statisticsQuery = z.object({
  Timestamp1: timestampQuery('Begin; default: since creation.'),
  Timestamp2: timestampQuery('End; default, and at most: now.'),
  Bucket: z
    .enum(buckets)
    .optional()
    .describe(
      "All, the default: the whole period. Quarters of a day, days and weeks (from Monday) are those of the account's time zone.",
    ),
  Points: pointsQuery(
    `Instead of Bucket: at most this many buckets for each Location. The narrowest of ${chosenBuckets.join(', ')} is chosen with which the period has no more, or else Week.`,
  ),
  Location: historyQuery.Location,
  With: someOf(statisticsParts, 'What each row has besides.'),
});

/** The parts that the routes of statistics need. */
interface StatisticsDeps {
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly histograms: Histograms;
  readonly rollUps: RollUpReader;
}

/** Figures of a device per Location, from roll-ups, and from raw checks where no roll-up exists. */
export function statisticsRoutes({ clock, device, histograms, rollUps }: StatisticsDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/{device_id}/statistics',
      readsHistory: true,
      level: 'UR',
      tag: 'Statistics',
      summary: 'Count, availability, loss and percentiles per Location.',
      subject: device,
      query: statisticsQuery,
      response: z.array(statisticsRow),
      names: { root: 'statistics', row: 'bucket' },
      handler: async ({ db, session: { zone, accountNo }, subject, query }) => {
        const period = readPeriod(query, { zone, createdUs: subject.created_us, nowUs: clock.nowUs() });
        const bucket = readBucket(query, period);
        if ((period.toUs - period.fromUs) / bucketUs[bucket] > maxBuckets)
          throw invalid([
            { field: 'Bucket', message: `would make more than ${maxBuckets} buckets of this period` },
          ]);
        const parts = new Set(query.With);
        const ask = {
          deviceNo: subject.device_no,
          createdUs: subject.created_us,
          bucket,
          locationNos:
            query.Location === undefined ? undefined : await readLocationNos(db, accountNo, query.Location),
          phases: parts.has('Phases'),
        };
        const tallies = await talliesOf(
          db,
          { rollUps, scale: histograms.scale, nowUs: clock.nowUs() },
          ask,
          period,
        );
        const groups = group(tallies, bucket, period, zone);
        const places = await readLocationNames(db, [
          ...new Set(tallies.map(({ location_no }) => location_no)),
        ]);
        return {
          body: groups.map(({ fromUs, tallies: own }) => {
            const location = places.get(own[0]?.location_no ?? 0);
            return {
              Timestamp: zone.format(fromUs),
              Location: location?.name ?? '',
              location_id: location?.location_id ?? null,
              ...figuresOf(own, histograms, parts),
            };
          }),
        };
      },
    }),
  ];
}

/** The bucket of a request. Throws a Problem (1004) where both parameters were sent. */
function readBucket({ Bucket, Points }: z.output<typeof statisticsQuery>, period: HistoryPeriod): Bucket {
  if (Points === undefined) return Bucket ?? 'All';
  if (Bucket !== undefined)
    throw invalid([{ field: 'Points', message: 'must not be sent together with Bucket' }]);
  // The first bucket and the last one may be cut.
  const fits = (bucket: Bucket) => (period.toUs - period.fromUs) / bucketUs[bucket] + 1 <= Points;
  return chosenBuckets.find(fits) ?? 'Week';
}

/** The requested tallies. */
interface StatisticsAsk extends Omit<TallyAsk, 'widthUs'> {
  readonly createdUs: number;
  readonly bucket: Bucket;
}

/** All tallies of a device in a period, in the order of time. */
async function talliesOf(
  db: Reader,
  deps: Parameters<typeof readTallies>[1],
  ask: StatisticsAsk,
  period: HistoryPeriod,
): Promise<readonly Tally[]> {
  const progress = await deps.rollUps.readProgress(db.kysely);
  // A period may begin two thousand empty years ago. The statistics begin at the first data instead.
  const firstUs =
    period.fromUs < ask.createdUs ? await readFirstUs(db, deps.rollUps, ask.deviceNo) : period.fromUs;
  const known = { ...period, fromUs: Math.max(period.fromUs, firstUs ?? period.toUs) };
  const widthUs = Math.min(bucketUs[ask.bucket], hourUs);
  const segments =
    widthUs < hourUs
      ? [{ source: 'raw' as const, ...known }]
      : segmentsOf(known, { ...progress, days: ask.bucket === 'All' });
  const tallies: Tally[] = [];
  for (const segment of segments)
    tallies.push(...(await readTallies(db, deps, { ...ask, widthUs }, segment)));
  return tallies;
}

/** The start of a device's first roll-up or check; undefined if it has none. */
async function readFirstUs(db: Reader, rollUps: RollUpReader, deviceNo: number): Promise<number | undefined> {
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
  bucket: Bucket,
  period: HistoryPeriod,
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
  const locationNoOf = ({ tallies: [first] }: Group) => first?.location_no ?? 0;
  return [...groups.values()].sort((a, b) => a.fromUs - b.fromUs || locationNoOf(a) - locationNoOf(b));
}

function beginOf(us: number, bucket: Bucket, period: HistoryPeriod, zone: Zone): number {
  switch (bucket) {
    case 'All':
      return period.fromUs;
    case '5Min':
    case '15Min':
    case 'Hour':
      return us;
    case '6Hour':
      return beginOfQuarter(zone.format(us), zone) ?? us;
    case 'Day':
      return beginOfDay(zone.format(us).slice(0, 10), zone) ?? us;
    case 'Week':
      return beginOfDay(mondayOf(zone.format(us).slice(0, 10)), zone) ?? us;
  }
}

/** The Monday of a date's week, both `YYYY-MM-DD`. */
function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
