import { dayUs, hourUs, minuteUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { someOf } from '../../rest/http/members.ts';
import { readLocationNos } from '../../rest/http/named.ts';
import { timestampQuery } from '../../rest/http/paging.ts';
import { invalid } from '../../rest/http/problem.ts';
import { type Route, route } from '../../rest/http/route.ts';
import type { Zone } from '../../rest/http/zone.ts';
import type { DeviceSubject } from './check-routes.ts';
import { historyQuery } from './list-filters.ts';
import { type Period, readPeriod } from './period.ts';
import { segmentsOf } from './segments.ts';
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
  Day: dayUs,
  Week: 7 * dayUs,
} as const;
type Bucket = keyof typeof bucketUs;
const buckets = ['All', '5Min', '15Min', 'Hour', 'Day', 'Week'] as const satisfies readonly Bucket[];
const maxBuckets = 10_000;

const statisticsQuery = z.object({
  Timestamp1: timestampQuery('Begin; default: since creation.'),
  Timestamp2: timestampQuery('End; default, and at most: now.'),
  Bucket: z
    .enum(buckets)
    .default('All')
    .describe("All: the whole period. Days and weeks (from Monday) are those of the account's time zone."),
  Location: historyQuery.Location,
  With: someOf(statisticsParts, 'What each row has besides.'),
});

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
      readsHistory: true,
      level: 'UR',
      tag: 'Statistics',
      summary: 'Count, availability, loss and percentiles per Location.',
      subject: device,
      query: statisticsQuery,
      response: z.array(statisticsRow),
      names: { root: 'statistics', row: 'bucket' },
      handler: async ({ session: { zone, accountNo }, subject, query }) => {
        const period = readPeriod(query, { zone, createdUs: subject.created_us, nowUs: clock.nowUs() });
        if ((period.toUs - period.fromUs) / bucketUs[query.Bucket] > maxBuckets)
          throw invalid([
            { field: 'Bucket', message: `would make more than ${maxBuckets} buckets of this period` },
          ]);
        const parts = new Set(query.With);
        const ask = {
          deviceNo: subject.device_no,
          createdUs: subject.created_us,
          bucket: query.Bucket,
          locationNos:
            query.Location === undefined ? undefined : await readLocationNos(db, accountNo, query.Location),
          phases: parts.has('Phases'),
        };
        const tallies = await talliesOf(
          { db, rollUps, scale: histograms.scale, nowUs: clock.nowUs() },
          ask,
          period,
        );
        const groups = group(tallies, query.Bucket, period, zone);
        const places = await readLocationNames(db, [
          ...new Set(tallies.map(({ location_no }) => location_no)),
        ]);
        return {
          body: groups.map(({ fromUs, tallies: own }) => {
            const place = places.get(own[0]?.location_no ?? 0);
            return {
              Timestamp: zone.format(fromUs),
              Location: place?.name ?? '',
              location_id: place?.location_id ?? null,
              ...figuresOf(own, histograms, parts),
            };
          }),
        };
      },
    }),
  ];
}

/** The tallies that are asked for. */
interface StatisticsAsk extends Omit<TallyAsk, 'widthUs'> {
  readonly createdUs: number;
  readonly bucket: Bucket;
}

/** All tallies of a device in a period, in the order of time. */
async function talliesOf(
  deps: Parameters<typeof readTallies>[0],
  ask: StatisticsAsk,
  period: Period,
): Promise<readonly Tally[]> {
  const { db, rollUps } = deps;
  const progress = await rollUps.readProgress(db.kysely);
  // A period may begin two thousand empty years ago. The statistics begin at the first data instead.
  const firstUs = period.fromUs < ask.createdUs ? await readFirstUs(deps, ask.deviceNo) : period.fromUs;
  const known = { ...period, fromUs: Math.max(period.fromUs, firstUs ?? period.toUs) };
  const widthUs = Math.min(bucketUs[ask.bucket], hourUs);
  const segments =
    widthUs < hourUs
      ? [{ source: 'raw' as const, ...known }]
      : segmentsOf(known, { ...progress, days: ask.bucket === 'All' });
  const tallies: Tally[] = [];
  for (const segment of segments) tallies.push(...(await readTallies(deps, { ...ask, widthUs }, segment)));
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
function group(tallies: readonly Tally[], bucket: Bucket, period: Period, zone: Zone): readonly Group[] {
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

function beginOf(us: number, bucket: Bucket, period: Period, zone: Zone): number {
  switch (bucket) {
    case 'All':
      return period.fromUs;
    case '5Min':
    case '15Min':
    case 'Hour':
      return us;
    case 'Day':
      return beginOfDay(zone.format(us).slice(0, 10), zone) ?? us;
    case 'Week':
      return beginOfDay(mondayOf(zone.format(us).slice(0, 10)), zone) ?? us;
  }
}

function beginOfDay(date: string, zone: Zone): number | undefined {
  return zone.parse(`${date}T00:00:00`);
}

/** The Monday of a date's week, both `YYYY-MM-DD`. */
function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
