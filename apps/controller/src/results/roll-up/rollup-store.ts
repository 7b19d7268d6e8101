import { dayUs } from '@vantage/domain';
import type { Histogram } from '@vantage/health';
import type { Row, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The columns of sums that both tables of roll-ups have, besides those of the phases. */
export const sumColumns = [
  'checks',
  'errors',
  'inconclusive',
  'sum_ms',
  'min_ms',
  'max_ms',
  'lost',
  'sent',
  'retries',
  'on_request',
  'histogram',
] as const;

const weekUs = 7 * dayUs;

/** The span of a device's roll-ups that is read; from inclusive, to exclusive. */
interface RollUpSpan {
  readonly deviceNo: number;
  readonly source: 'hourly' | 'daily';
  readonly fromUs: number;
  readonly toUs: number;
  /** Without it, `phase_sums` and `phase_histogram` are null. */
  readonly phases: boolean;
}

const sums = ['bucket_us', 'location_no', ...sumColumns] as const;
type Sums = Pick<Row<'rollup_hourly'>, (typeof sums)[number] | 'phase_sums' | 'phase_histogram'>;

/** The rows of a device's hourly or daily roll-ups that begin in a span. */
export async function readRollUps(
  kysely: Kysely<Tables>,
  { deviceNo, source, fromUs, toUs, phases }: RollUpSpan,
): Promise<readonly Sums[]> {
  const phaseSums = phases ? sql<number[] | null>`phase_sums` : sql<null>`null`;
  const phaseHistogram = phases ? sql<Uint8Array | null>`phase_histogram` : sql<null>`null`;
  return kysely
    .selectFrom(source === 'hourly' ? 'rollup_hourly' : 'rollup_daily')
    .select([...sums, phaseSums.as('phase_sums'), phaseHistogram.as('phase_histogram')])
    .where('device_no', '=', deviceNo)
    .where('bucket_us', '>=', fromUs)
    .where('bucket_us', '<', toUs)
    .execute();
}

/** The start of a device's first day or hour; undefined if it has none. */
export async function firstBucketUs(kysely: Kysely<Tables>, deviceNo: number): Promise<number | undefined> {
  const { rows } = await sql<{ first_us: number | null }>`
    select least((select min(bucket_us) from rollup_daily where device_no = ${deviceNo}),
      (select min(bucket_us) from rollup_hourly where device_no = ${deviceNo})) as first_us`.execute(kysely);
  return rows[0]?.first_us ?? undefined;
}

/** An hour of a device at a Location; `hourUs` is its begin. */
interface LocationHour {
  readonly deviceNo: number;
  readonly locationNo: number;
  readonly hourUs: number;
}

/** The histograms of the same hour in the `weeks` before each of these hours. One statement for all. */
export async function pastHistograms(
  kysely: Kysely<Tables>,
  ask: { readonly hours: readonly LocationHour[]; readonly weeks: number },
): Promise<readonly (LocationHour & { readonly histogram: Histogram })[]> {
  const { hours, weeks } = ask;
  if (hours.length === 0) return [];
  const by = <K extends keyof LocationHour>(key: K) => hours.map((one) => one[key]);
  const { rows } = await sql<LocationHour & { readonly histogram: Histogram }>`
    select g.device_no as "deviceNo", g.location_no as "locationNo", g.hour_us as "hourUs", r.histogram
    from unnest(${by('deviceNo')}::int[], ${by('locationNo')}::int[], ${by('hourUs')}::bigint[])
      as g (device_no, location_no, hour_us)
    cross join generate_series(1, ${weeks}::int) as week
    join rollup_hourly r on r.device_no = g.device_no and r.bucket_us = g.hour_us - week * ${weekUs}::bigint
      and r.location_no = g.location_no`.execute(kysely);
  return rows;
}

/** Deletes the roll-ups of these devices. */
export async function deleteRollUps(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<void> {
  const tables = ['rollup_hourly', 'rollup_daily', 'value_hourly', 'value_daily'].map((name) =>
    sql.table(name),
  );
  await Promise.all(
    tables.map((table) => sql`delete from ${table} where device_no = any(${deviceNos}::int[])`.execute(trx)),
  );
}
