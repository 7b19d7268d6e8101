import { dayUs, hourUs, verdictSql } from '@vantage/domain';
import { scale } from '@vantage/health';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { checkKind, packetCount, type Tables } from '../db/index.ts';
import { checksOfSpan, checksTable } from '../db/packed/index.ts';

const isGood = sql`(is_regular and ${sql.raw(verdictSql('good', 'code'))})`;
const isBad = sql`(is_regular and ${sql.raw(verdictSql('bad', 'code'))})`;
const isInconclusive = sql`(is_regular and ${sql.raw(verdictSql('inconclusive', 'code'))})`;

const bucketSql = sql`greatest(0, ceil(ln(greatest(total_ms, ${sql.lit(scale.smallestMs)}::float8)
  / ${sql.lit(scale.smallestMs)}::float8) / ln(${sql.lit(scale.growth)}::float8)))::int`;

/** Writes the sums of one hour for these devices. `bucket` is the begin of the hour. */
export async function rollHour(
  trx: Kysely<Tables>,
  bucket: number,
  deviceNos: readonly number[],
): Promise<void> {
  const rows = sql`checks where device_no = any(${deviceNos}::int[]) and start_us >= ${bucket} and start_us < ${bucket + hourUs}`;
  await rollChecks(trx, bucket, rows);
}

/** `rollHour` for an hour that may be packed. The caller holds the lock of packing. */
export async function rollOldHour(
  trx: Kysely<Tables>,
  bucket: number,
  deviceNos: readonly number[],
): Promise<void> {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from packed_checks p where device_no = any(${deviceNos}::int[])
      and day_us = ${bucket - (bucket % dayUs)}::bigint`.execute(trx);
  const packed = new Set(rows.map(({ device_no }) => device_no));
  await rollHour(
    trx,
    bucket,
    deviceNos.filter((deviceNo) => !packed.has(deviceNo)),
  );
  // The sums of a packed hour are right unless a check came since, which is a row.
  const changed = await sql<{ device_no: number }>`
    select distinct device_no from checks where device_no = any(${[...packed]}::int[]) and start_us >= ${bucket}::bigint
      and start_us < ${bucket + hourUs}::bigint`.execute(trx);
  for (const { device_no: deviceNo } of changed.rows) {
    const checks = await checksOfSpan(trx, { deviceNo, fromUs: bucket, toUs: bucket + hourUs });
    await rollChecks(trx, bucket, checksTable(checks));
  }
}

/** Writes the sums of the checks of an hour. */
async function rollChecks(trx: Kysely<Tables>, bucket: number, checks: RawBuilder<unknown>): Promise<void> {
  await sql`
    with hour as (
      select device_no, location_no, code, ${packetCount('Sent')} as sent, ${packetCount('Received')} as received,
        dns_ms::float8 + connect_ms + ssl_ms + ttfb_ms + ttlb_ms as total_ms,
        ${checkKind.regular} as is_regular, ${checkKind.retry} as is_retry, ${checkKind.onRequest} as is_on_request
      from ${checks}
    ), sums as (
      select device_no, location_no, count(*) filter (where is_regular) as checks,
        count(*) filter (where ${isBad}) as errors,
        count(*) filter (where ${isInconclusive}) as inconclusive,
        coalesce(sum(total_ms) filter (where ${isGood}), 0) as sum_ms,
        coalesce(min(total_ms) filter (where ${isGood}), 0) as min_ms,
        coalesce(max(total_ms) filter (where ${isGood}), 0) as max_ms,
        coalesce(sum(greatest(0, sent - received)) filter (where is_regular), 0) as lost,
        coalesce(sum(sent) filter (where is_regular), 0) as sent,
        count(*) filter (where is_retry) as retries, count(*) filter (where is_on_request) as on_request
      from hour group by device_no, location_no
    ), counts as (
      select device_no, location_no, ${bucketSql} as slot, count(*)::int as n
      from hour where ${isGood} group by 1, 2, 3
    ) ${insertSums('rollup_hourly', bucket)}`.execute(trx);
}

/** Writes the sums of one UTC day for these devices, from the sums of its hours. */
export async function rollDay(trx: Kysely<Tables>, day: number, deviceNos: readonly number[]): Promise<void> {
  await sql`
    with hours as (
      select * from rollup_hourly
      where device_no = any(${deviceNos}::int[]) and bucket_us >= ${day} and bucket_us < ${day + dayUs}
    ), sums as (
      select device_no, location_no, sum(checks) as checks, sum(errors) as errors, sum(inconclusive) as inconclusive,
        sum(sum_ms) as sum_ms,
        coalesce(min(min_ms) filter (where checks > errors + inconclusive), 0) as min_ms, max(max_ms) as max_ms,
        sum(lost) as lost, sum(sent) as sent, sum(retries) as retries, sum(on_request) as on_request
      from hours group by device_no, location_no
    ), counts as (
      select device_no, location_no, histogram[k][1] as slot, sum(histogram[k][2])::int as n
      from hours, generate_subscripts(histogram, 1) as k group by 1, 2, 3
    ) ${insertSums('rollup_daily', day)}`.execute(trx);
}

const sums = [
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
];
const summed = sql.join(sums.map((name) => sql.ref(name)));
const excluded = sql.join([...sums, 'histogram'].map((name) => sql.ref(`excluded.${name}`)));

/**
 * The end of both statements: writes the rows of `sums` with the histograms of `counts`, in place of those that are
 * stored.
 */
function insertSums(table: 'rollup_hourly' | 'rollup_daily', bucket: number): RawBuilder<unknown> {
  return sql`, histograms as (
      select device_no, location_no, array_agg(array[slot, n] order by slot) as histogram
      from counts group by device_no, location_no
    )
    insert into ${sql.table(table)} (device_no, bucket_us, location_no, ${summed}, histogram)
    select device_no, ${bucket}::bigint, location_no, ${summed}, coalesce(histogram, '{}')
    from sums left join histograms using (device_no, location_no)
    on conflict (device_no, bucket_us, location_no) do update set (${summed}, histogram) = (${excluded})`;
}
