import { verdictSql } from '@vantage/domain';
import { sql } from 'kysely';
import { type Db, packetCount } from '../db/index.ts';
import type { Segment } from './segments.ts';

const isGood = sql.raw(verdictSql('good', 'code'));
const isBad = sql.raw(verdictSql('bad', 'code'));
const isInconclusive = sql.raw(verdictSql('inconclusive', 'code'));

/** Counts of one Location's checks in one hour, or in a day when they come from the daily roll-up. */
export interface Tally {
  /** Begin, microseconds since 1970. */
  readonly bucket_us: number;
  readonly location_no: number;
  readonly checks: number;
  readonly errors: number;
  readonly inconclusive: number;
  /** Of good checks: sum, least and most of RequestTime, milliseconds. */
  readonly sum_ms: number;
  readonly min_ms: number;
  readonly max_ms: number;
  /** PING packets. */
  readonly lost: number;
  readonly sent: number;
  /** Pairs [bucket of the log scale, count]. */
  readonly histogram: readonly (readonly number[])[];
}

/** The log scale that histograms count on. */
export interface LatencyScale {
  readonly smallestMs: number;
  readonly growth: number;
}

/** How far roll-ups have come: hours before `rolledToUs` are done, but for those in `dirty`, which are marked or in work. */
export async function readProgress({
  kysely,
}: Db): Promise<{ readonly rolledToUs: number; readonly dirty: ReadonlySet<number> }> {
  const { rows } = await sql<{ name: string; at_us: number }>`
    select name, at_us from job_cursors where name = 'roll-up' or name like 'roll-up doing %'
    union all select 'dirty', bucket_us from rollup_dirty`.execute(kysely);
  return {
    rolledToUs: rows.find(({ name }) => name === 'roll-up')?.at_us ?? 0,
    dirty: new Set(rows.filter(({ name }) => name !== 'roll-up').map(({ at_us }) => at_us)),
  };
}

/** The begin of the first day, hour or check that is known of a device; undefined: there is none. */
export async function readFirstUs({ kysely }: Db, deviceNo: number): Promise<number | undefined> {
  const { rows } = await sql<{ first_us: number | null }>`
    select least((select min(bucket_us) from rollup_daily where device_no = ${deviceNo}),
      (select min(bucket_us) from rollup_hourly where device_no = ${deviceNo}),
      (select min(start_us) from checks where device_no = ${deviceNo})) as first_us`.execute(kysely);
  return rows[0]?.first_us ?? undefined;
}

/** A device's tallies of one stretch. */
export async function readTallies(
  { kysely }: Db,
  deviceNo: number,
  { source, fromUs, toUs }: Segment,
  scale: LatencyScale,
): Promise<readonly Tally[]> {
  switch (source) {
    case 'hourly':
    case 'daily':
      return kysely
        .selectFrom(source === 'hourly' ? 'rollup_hourly' : 'rollup_daily')
        .selectAll()
        .where('device_no', '=', deviceNo)
        .where('bucket_us', '>=', fromUs)
        .where('bucket_us', '<', toUs)
        .execute();
    case 'raw': {
      const { rows } = await rawTallies(deviceNo, fromUs, toUs, scale).execute(kysely);
      return rows;
    }
  }
}

function rawTallies(deviceNo: number, fromUs: number, toUs: number, { smallestMs, growth }: LatencyScale) {
  return sql<Tally>`
    with chosen as (
      select start_us - start_us % 3600000000 as bucket_us, location_no, code, ${packetCount('Sent')} as sent,
        ${packetCount('Received')} as received, dns_ms::float8 + connect_ms + ssl_ms + ttfb_ms + ttlb_ms as total_ms
      from checks where device_no = ${deviceNo} and start_us >= ${fromUs} and start_us < ${toUs}
    ), sums as (
      select bucket_us, location_no, count(*)::int as checks,
        count(*) filter (where ${isBad})::int as errors,
        count(*) filter (where ${isInconclusive})::int as inconclusive,
        coalesce(sum(total_ms) filter (where ${isGood}), 0) as sum_ms,
        coalesce(min(total_ms) filter (where ${isGood}), 0) as min_ms,
        coalesce(max(total_ms) filter (where ${isGood}), 0) as max_ms,
        coalesce(sum(greatest(0, sent - received)), 0) as lost, coalesce(sum(sent), 0) as sent
      from chosen group by 1, 2
    ), counts as (
      select bucket_us, location_no, count(*)::int as n,
        greatest(0, ceil(ln(greatest(total_ms, ${smallestMs}::float8) / ${smallestMs}::float8) / ln(${growth}::float8)))::int as slot
      from chosen where ${isGood} group by bucket_us, location_no, slot
    ), histograms as (
      select bucket_us, location_no, json_agg(json_build_array(slot, n) order by slot) as histogram
      from counts group by 1, 2
    )
    select sums.*, coalesce(histogram, '[]') as histogram
    from sums left join histograms using (bucket_us, location_no)`;
}

/** The Locations with these numbers. */
export async function readLocationNames(
  { kysely }: Db,
  locationNos: readonly number[],
): Promise<ReadonlyMap<number, { readonly location_id: string; readonly name: string }>> {
  if (locationNos.length === 0) return new Map();
  const rows = await kysely
    .selectFrom('locations')
    .select(['location_no', 'location_id', 'name'])
    .where('location_no', 'in', locationNos)
    .execute();
  return new Map(rows.map((row) => [row.location_no, row]));
}
