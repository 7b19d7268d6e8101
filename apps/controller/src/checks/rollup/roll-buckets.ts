import { dayUs, hourUs } from '@vantage/domain';
import { scale } from '@vantage/health';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  checkSums,
  packedHistogram,
  phaseColumns,
  type Tables,
  unpackedHistogram,
} from '../../platform/db/index.ts';
import { checksOfSpan, checksTable } from '../../platform/db/packed/index.ts';
import { sumColumns } from './rollup-store.ts';

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
  const sums = checkSums(checks, { scale, widthUs: hourUs, phases: true });
  await insertSums('rollup_hourly', bucket, sums).execute(trx);
}

/** Writes the sums of one UTC day for these devices, from the sums of its hours. */
export async function rollDay(trx: Kysely<Tables>, day: number, deviceNos: readonly number[]): Promise<void> {
  const sumsOfPhases = phaseColumns.map((_, at) => sql`sum(phase_sums[${sql.lit(at + 1)}])`);
  const rows = sql`
    with hours as (
      select * from rollup_hourly
      where device_no = any(${deviceNos}::int[]) and bucket_us >= ${day} and bucket_us < ${day + dayUs}
    ), sums as (
      select device_no, location_no, sum(checks) as checks, sum(errors) as errors, sum(inconclusive) as inconclusive,
        sum(sum_ms) as sum_ms,
        coalesce(min(min_ms) filter (where checks > errors + inconclusive), 0) as min_ms, max(max_ms) as max_ms,
        sum(lost) as lost, sum(sent) as sent, sum(retries) as retries, sum(on_request) as on_request,
        bool_and(phase_sums is not null) as has_phases, array[${sql.join(sumsOfPhases)}] as sums_of_phases
      from hours group by device_no, location_no
    ), histograms as (
      select device_no, location_no, array_agg(array[slot, n] order by slot) as histogram
      from (select device_no, location_no, histogram[k][1] as slot, sum(histogram[k][2])::int as n
        from hours, generate_subscripts(histogram, 1) as k group by 1, 2, 3) counts
      group by 1, 2
    ), phase_histograms as (
      select device_no, location_no, ${packedHistogram} as phase_histogram
      from (select device_no, location_no, entry, sum(n) as n
        from hours, lateral ${unpackedHistogram('phase_histogram')} as each group by 1, 2, 3) counts
      group by 1, 2
    )
    select sums.*, coalesce(histogram, '{}') as histogram, case when has_phases then sums_of_phases end as phase_sums,
      case when has_phases then coalesce(phase_histogram, '') end as phase_histogram
    from sums left join histograms using (device_no, location_no)
      left join phase_histograms using (device_no, location_no)`;
  await insertSums('rollup_daily', day, rows).execute(trx);
}

const columns = [...sumColumns, 'phase_sums', 'phase_histogram'];
const written = sql.join(columns.map((name) => sql.ref(name)));
const excluded = sql.join(columns.map((name) => sql.ref(`excluded.${name}`)));

/** Writes the rows of a SELECT, in place of those that are stored. */
function insertSums(
  table: 'rollup_hourly' | 'rollup_daily',
  bucket: number,
  rows: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    insert into ${sql.table(table)} (device_no, bucket_us, location_no, ${written})
    select device_no, ${bucket}::bigint, location_no, ${written} from (${rows}) as rows
    on conflict (device_no, bucket_us, location_no) do update set (${written}) = (${excluded})`;
}
