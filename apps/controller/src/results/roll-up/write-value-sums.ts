import { dayUs, hourUs } from '@vantage/domain';
import { addSumBytes, blockOf, sumBytes } from '@vantage/domain/value-sum-bytes';
import { addValue, noValues, type ValueSums } from '@vantage/domain/value-sums';
import type { Tables } from '@vantage/storage';
import type { PackedCheck } from '@vantage/storage/packed';
import { type Kysely, sql } from 'kysely';
import { maxBlock } from './value-sum-store.ts';

/** The parts of a check from which sums of values are computed. */
export type ValuedCheck = Pick<PackedCheck, 'location_no' | 'measured'>;

/** Sums by Location and series. */
export type SumsOfLocations = Map<number, Map<number, ValueSums>>;

/** Devices whose checks or sums one statement reads. */
const devicesAtOnce = 20;

/** The devices among these whose checks ever returned values. */
export async function devicesWithValues(
  kysely: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select distinct device_no from value_series where device_no = any(${deviceNos}::int[]) order by device_no`.execute(
    kysely,
  );
  return rows.map(({ device_no }) => device_no);
}

/**
 * Writes the sums of the values of one hour, from the rows of these devices: of every check, good or bad, regular or
 * not. `bucket` is the start of the hour.
 */
export async function rollValueHour(
  trx: Kysely<Tables>,
  bucket: number,
  deviceNos: readonly number[],
): Promise<void> {
  const devices = await devicesWithValues(trx, deviceNos);
  for (let at = 0; at < devices.length; at += devicesAtOnce) {
    const { rows } = await sql<ValuedCheck & { readonly device_no: number }>`
      select device_no, location_no, measured from checks
      where device_no = any(${devices.slice(at, at + devicesAtOnce)}::int[]) and measured is not null
        and start_us >= ${bucket}::bigint and start_us < ${bucket + hourUs}::bigint`.execute(trx);
    for (const [deviceNo, checks] of Map.groupBy(rows, ({ device_no }) => device_no))
      await writeValueHour(trx, { deviceNo, bucketUs: bucket }, checks);
  }
}

/** Writes the sums of an hour of a device from all its checks. */
export async function writeValueHour(
  trx: Kysely<Tables>,
  { deviceNo, bucketUs }: { readonly deviceNo: number; readonly bucketUs: number },
  checks: readonly ValuedCheck[],
): Promise<void> {
  await insertSums(trx, 'value_hourly', { deviceNo, bucketUs }, sumsOf(checks));
}

/** The sums of checks. Pure. */
export function sumsOf(checks: readonly ValuedCheck[]): SumsOfLocations {
  const locations: SumsOfLocations = new Map();
  for (const { location_no: locationNo, measured } of checks) {
    if (measured === null) continue;
    const series = seriesAt(locations, locationNo);
    for (const [at, value] of measured.entries()) if (value !== null) addValue(sumsAt(series, at + 1), value);
  }
  return locations;
}

/** Writes the sums of one UTC day, from the sums of its hours. */
export async function rollValueDay(
  trx: Kysely<Tables>,
  day: number,
  deviceNos: readonly number[],
): Promise<void> {
  const devices = await devicesWithValues(trx, deviceNos);
  for (let at = 0; at < devices.length; at += devicesAtOnce) {
    const sums = await sumsOfDay(trx, day, devices.slice(at, at + devicesAtOnce));
    for (const [deviceNo, locations] of sums)
      await insertSums(trx, 'value_daily', { deviceNo, bucketUs: day }, locations);
  }
}

/** The sums of one UTC day by device, from the stored sums of its hours. Throws a SumBytesError. */
export async function sumsOfDay(
  kysely: Kysely<Tables>,
  day: number,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, SumsOfLocations>> {
  const { rows } = await sql<{ device_no: number; location_no: number; sums: Uint8Array }>`
    select device_no, location_no, sums from value_hourly
    where device_no = any(${deviceNos}::int[]) and block_no between 0 and ${maxBlock}
      and bucket_us >= ${day}::bigint and bucket_us < ${day + dayUs}::bigint`.execute(kysely);
  return new Map(
    [...Map.groupBy(rows, ({ device_no }) => device_no)].map(([deviceNo, hours]) => {
      const locations: SumsOfLocations = new Map();
      for (const { location_no: locationNo, sums } of hours) {
        const series = seriesAt(locations, locationNo);
        addSumBytes(sums, (seriesNo) => sumsAt(series, seriesNo));
      }
      return [deviceNo, locations];
    }),
  );
}

/** Deletes the sums of values of an hour, or of a day, before they are written again. */
export async function clearValueSums(
  trx: Kysely<Tables>,
  table: 'value_hourly' | 'value_daily',
  { deviceNo, bucketUs }: { readonly deviceNo: number; readonly bucketUs: number },
): Promise<void> {
  await sql`
    delete from ${sql.table(table)} where device_no = ${deviceNo}::int and block_no between 0 and ${maxBlock}
      and bucket_us = ${bucketUs}::bigint`.execute(trx);
}

/** The sums of a Location. */
export function seriesAt(locations: SumsOfLocations, locationNo: number): Map<number, ValueSums> {
  const series = locations.get(locationNo) ?? new Map<number, ValueSums>();
  locations.set(locationNo, series);
  return series;
}

/** The sums of a series. */
export function sumsAt(series: Map<number, ValueSums>, seriesNo: number): ValueSums {
  const sums = series.get(seriesNo) ?? noValues();
  series.set(seriesNo, sums);
  return sums;
}

/** Writes a row for each Location and block of series, replacing stored rows. */
async function insertSums(
  trx: Kysely<Tables>,
  table: 'value_hourly' | 'value_daily',
  { deviceNo, bucketUs }: { readonly deviceNo: number; readonly bucketUs: number },
  locations: SumsOfLocations,
): Promise<void> {
  const rows = [...locations].flatMap(([locationNo, series]) =>
    [...Map.groupBy(series, ([seriesNo]) => blockOf(seriesNo))].map(([block, some]) => ({
      block,
      locationNo,
      sums: sumBytes(new Map(some)),
    })),
  );
  if (rows.length === 0) return;
  await sql`
    insert into ${sql.table(table)} (device_no, block_no, bucket_us, location_no, sums)
    select ${deviceNo}::int, block_no, ${bucketUs}::bigint, location_no, sums
    from unnest(${rows.map(({ block }) => block)}::smallint[], ${rows.map(({ locationNo }) => locationNo)}::int[],
      ${rows.map(({ sums }) => Buffer.from(sums))}::bytea[]) as rows (block_no, location_no, sums)
    on conflict (device_no, block_no, bucket_us, location_no) do update set sums = excluded.sums`.execute(
    trx,
  );
}
