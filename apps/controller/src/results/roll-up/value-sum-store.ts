import { addSumBytes, blockOf } from '@vantage/domain/value-sum-bytes';
import type { ValueSums } from '@vantage/domain/value-sums';
import { startOfDay, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The block of the last series that a device may have. */
export const maxBlock = blockOf(32_767);
/** The rows that one statement deletes. */
const maxDeleted = 5_000;

/** The sums of a device's values to read; from inclusive, to exclusive. */
export interface ValueSumSpan {
  readonly deviceNo: number;
  readonly source: 'hourly' | 'daily';
  readonly fromUs: number;
  readonly toUs: number;
  readonly seriesNos: readonly number[];
  /** The Locations that count; undefined: all. */
  readonly locationNos: readonly number[] | undefined;
}

/** Adds the sums of a device's hours or days that begin in a span to those that `sumsOf` returns. */
export async function addValueSums(
  kysely: Kysely<Tables>,
  { deviceNo, source, fromUs, toUs, seriesNos, locationNos }: ValueSumSpan,
  sumsOf: (seriesNo: number, bucketUs: number) => ValueSums,
): Promise<void> {
  const seriesSet = new Set(seriesNos);
  const blocks = [...new Set(seriesNos.map(blockOf))];
  const ofLocation = locationNos === undefined ? sql`true` : sql`location_no = any(${locationNos}::int[])`;
  const { rows } = await sql<{ bucket_us: number; sums: Uint8Array }>`
    select bucket_us, sums from ${sql.table(source === 'hourly' ? 'value_hourly' : 'value_daily')}
    where device_no = ${deviceNo}::int and block_no = any(${blocks}::smallint[])
      and bucket_us >= ${fromUs}::bigint and bucket_us < ${toUs}::bigint and ${ofLocation}`.execute(kysely);
  for (const { bucket_us: bucketUs, sums } of rows)
    addSumBytes(sums, (seriesNo) => (seriesSet.has(seriesNo) ? sumsOf(seriesNo, bucketUs) : undefined));
}

/**
 * Deletes the hours of values of the UTC days that ended before this time, some at a time. Days stay, as those of
 * checks.
 */
export async function dropValueHours(kysely: Kysely<Tables>, beforeUs: number): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from value_hourly where (device_no, block_no, bucket_us, location_no) in (
        select h.device_no, h.block_no, h.bucket_us, h.location_no from (select distinct device_no from value_series) d
        join value_hourly h using (device_no) where h.block_no between 0 and ${maxBlock} and h.bucket_us < ${startOfDay(beforeUs)}::bigint
        limit ${maxDeleted})`.execute(kysely);
    if (numAffectedRows === undefined || numAffectedRows < BigInt(maxDeleted)) return;
  }
}
