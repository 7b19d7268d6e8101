import { dayUs, verdictSql } from '@vantage/domain';
import { type RawBuilder, sql } from 'kysely';
import { checkKind, type Db, packetCount, startOfDay } from '../db/index.ts';
import { type CheckSpan, checksOfSpan, checksTable, hasPackedDay, mayBePacked } from '../db/packed/index.ts';
import type { Segment } from './segments.ts';

const isGood = sql`(is_regular and ${sql.raw(verdictSql('good', 'code'))})`;
const isBad = sql`(is_regular and ${sql.raw(verdictSql('bad', 'code'))})`;
const isInconclusive = sql`(is_regular and ${sql.raw(verdictSql('inconclusive', 'code'))})`;

/** Counts of one Location's checks in one hour, or in a day when they come from the daily roll-up. */
export interface Tally {
  /** Begin, microseconds since 1970. */
  readonly bucket_us: number;
  readonly location_no: number;
  /** Regular checks; all figures but the two below are of these. */
  readonly checks: number;
  readonly retries: number;
  readonly on_request: number;
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

/** The functions of the roll-ups that statistics read. */
export interface RollUpReader {
  /** Hours before `rolledToUs` are rolled up, except those in `dirty`. */
  readProgress(
    kysely: Db['kysely'],
  ): Promise<{ readonly rolledToUs: number; readonly dirty: ReadonlySet<number> }>;
  /** The begin of the first day or hour of a device. */
  firstBucketUs(kysely: Db['kysely'], deviceNo: number): Promise<number | undefined>;
  readRollUps(
    kysely: Db['kysely'],
    span: {
      readonly deviceNo: number;
      readonly source: 'hourly' | 'daily';
      readonly fromUs: number;
      readonly toUs: number;
    },
  ): Promise<readonly Tally[]>;
}

/** The begin of a device's first check; undefined where it has none. */
export async function readFirstCheckUs({ kysely }: Db, deviceNo: number): Promise<number | undefined> {
  const { rows } = await sql<{ first_us: number | null }>`
    select least((select min(start_us) from checks where device_no = ${deviceNo}),
      (select min(first_us) from packed_checks where device_no = ${deviceNo})) as first_us`.execute(kysely);
  return rows[0]?.first_us ?? undefined;
}

/** A device's tallies of one segment. */
export async function readTallies(
  { db: { kysely }, rollUps, scale, nowUs }: TallyDeps,
  deviceNo: number,
  { source, fromUs, toUs }: Segment,
): Promise<readonly Tally[]> {
  if (source !== 'raw') return rollUps.readRollUps(kysely, { deviceNo, source, fromUs, toUs });
  const span = { deviceNo, fromUs, toUs };
  const { rows } = await rawTallies(
    sql`checks where device_no = ${deviceNo} and start_us >= ${fromUs} and start_us < ${toUs}`,
    scale,
  ).execute(kysely);
  // Asked after the rows were read: a check that is packed meanwhile is not missed.
  const isPacked = mayBePacked(fromUs, nowUs) && (await hasPackedDay(kysely, span));
  return isPacked ? packedTallies(kysely, span, scale) : rows;
}

/** The tallies of a segment with packed days, day by day. */
async function packedTallies(
  kysely: Db['kysely'],
  { deviceNo, fromUs, toUs }: CheckSpan,
  scale: LatencyScale,
): Promise<readonly Tally[]> {
  const tallies: Tally[] = [];
  for (let at = fromUs; at < toUs; ) {
    const end = Math.min(startOfDay(at) + dayUs, toUs);
    const checks = await checksOfSpan(kysely, { deviceNo, fromUs: at, toUs: end });
    const { rows } = await rawTallies(checksTable(checks), scale).execute(kysely);
    tallies.push(...rows);
    at = end;
  }
  return tallies;
}

interface TallyDeps {
  readonly db: Db;
  readonly rollUps: RollUpReader;
  readonly scale: LatencyScale;
  readonly nowUs: number;
}

function rawTallies(checks: RawBuilder<unknown>, { smallestMs, growth }: LatencyScale) {
  return sql<Tally>`
    with chosen as (
      select start_us - start_us % 3600000000 as bucket_us, location_no, code, ${packetCount('Sent')} as sent,
        ${packetCount('Received')} as received, dns_ms::float8 + connect_ms + ssl_ms + ttfb_ms + ttlb_ms as total_ms,
        ${checkKind.regular} as is_regular, ${checkKind.retry} as is_retry, ${checkKind.onRequest} as is_on_request
      from ${checks}
    ), sums as (
      select bucket_us, location_no, count(*) filter (where is_regular)::int as checks,
        count(*) filter (where is_retry)::int as retries, count(*) filter (where is_on_request)::int as on_request,
        count(*) filter (where ${isBad})::int as errors,
        count(*) filter (where ${isInconclusive})::int as inconclusive,
        coalesce(sum(total_ms) filter (where ${isGood}), 0) as sum_ms,
        coalesce(min(total_ms) filter (where ${isGood}), 0) as min_ms,
        coalesce(max(total_ms) filter (where ${isGood}), 0) as max_ms,
        coalesce(sum(greatest(0, sent - received)) filter (where is_regular), 0) as lost,
        coalesce(sum(sent) filter (where is_regular), 0) as sent
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
  { kysely }: Pick<Db, 'kysely'>,
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
