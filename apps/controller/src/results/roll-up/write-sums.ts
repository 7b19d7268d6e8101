import { dayUs, hourUs } from '@vantage/domain';
import { scale } from '@vantage/health';
import { checkSums, packedHistogram, phaseColumns, type Tables, unpackedHistogram } from '@vantage/storage';
import { checksOfSpan, checksTable, mayOverlap, packedSpans } from '@vantage/storage/packed';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { sumColumns } from './rollup-store.ts';
import { devicesWithValues, rollValueDay, rollValueHour, writeValueHour } from './write-value-sums.ts';

/** The columns of the sums that both tables of roll-ups store. */
export const storedSums = [...sumColumns, 'phase_sums', 'phase_histogram'] as const;
const written = sql.join(storedSums.map((name) => sql.ref(name)));
const excluded = sql.join(storedSums.map((name) => sql.ref(`excluded.${name}`)));

/** A SELECT of the hourly sums of checks, which follow FROM. */
export function hourlySums(checks: RawBuilder<unknown>): RawBuilder<unknown> {
  return checkSums(checks, { scale, widthUs: hourUs, phases: true });
}

/**
 * Writes the sums of one hour for these devices, those of their values too. `bucket` is the start of the hour. The
 * caller holds the lock of sums, so nothing is packed meanwhile.
 */
export async function rollHour(
  trx: Kysely<Tables>,
  bucket: number,
  deviceNos: readonly number[],
): Promise<void> {
  const spans = await packedSpans(trx, deviceNos);
  const hour = { fromUs: bucket, toUs: bucket + hourUs };
  const packed = new Set(deviceNos.filter((deviceNo) => mayOverlap(spans.get(deviceNo), hour)));
  const unpacked = deviceNos.filter((deviceNo) => !packed.has(deviceNo));
  await insertHours(trx, rowsOfHour(bucket, unpacked));
  await rollValueHour(trx, bucket, unpacked);
  if (packed.size === 0) return;
  // A day is packed when its sums are right. They still are, unless a check came since, which is a row.
  const changed = await sql<{ device_no: number }>`
    select distinct device_no from ${rowsOfHour(bucket, [...packed])}`.execute(trx);
  const valued = new Set(await devicesWithValues(trx, [...packed]));
  for (const { device_no: deviceNo } of changed.rows) {
    const checks = await checksOfSpan(trx, { deviceNo, fromUs: bucket, toUs: bucket + hourUs });
    await insertHours(trx, checksTable(checks));
    if (valued.has(deviceNo)) await writeValueHour(trx, { deviceNo, bucketUs: bucket }, checks);
  }
}

function rowsOfHour(bucket: number, deviceNos: readonly number[]): RawBuilder<unknown> {
  return sql`checks where device_no = any(${deviceNos}::int[]) and start_us >= ${bucket}::bigint and start_us < ${bucket + hourUs}::bigint`;
}

/** Writes the hourly sums of checks, which follow FROM. */
export async function insertHours(trx: Kysely<Tables>, checks: RawBuilder<unknown>): Promise<void> {
  await insertSums('rollup_hourly', hourlySums(checks)).execute(trx);
}

/** Writes the sums of one UTC day for these devices, from the sums of its hours; those of their values too. */
export async function rollDay(trx: Kysely<Tables>, day: number, deviceNos: readonly number[]): Promise<void> {
  await rollValueDay(trx, day, deviceNos);
  await insertSums('rollup_daily', dailySums(day, deviceNos)).execute(trx);
}

/** A SELECT of the sums of one UTC day for these devices, from the stored sums of its hours. */
export function dailySums(day: number, deviceNos: readonly number[]): RawBuilder<unknown> {
  const sumsOfPhases = phaseColumns.map((_, at) => sql`sum(phase_sums[${sql.lit(at + 1)}])`);
  return sql`
    with hours as (
      select * from rollup_hourly
      where device_no = any(${deviceNos}::int[]) and bucket_us >= ${day}::bigint and bucket_us < ${day + dayUs}::bigint
    ), sums as (
      select device_no, ${day}::bigint as bucket_us, location_no, sum(checks)::int as checks, sum(errors)::int as errors,
        sum(inconclusive)::int as inconclusive, sum(sum_ms) as sum_ms,
        coalesce(min(min_ms) filter (where checks > errors + inconclusive), 0) as min_ms, max(max_ms) as max_ms,
        sum(lost) as lost, sum(sent) as sent, sum(retries)::int as retries, sum(on_request)::int as on_request,
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
}

/** Writes the rows of a SELECT, replacing stored rows. */
function insertSums(table: 'rollup_hourly' | 'rollup_daily', rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into ${sql.table(table)} (device_no, bucket_us, location_no, ${written})
    select device_no, bucket_us, location_no, ${written} from (${rows}) as rows
    on conflict (device_no, bucket_us, location_no) do update set (${written}) = (${excluded})`;
}
