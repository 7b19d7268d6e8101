import { dayUs, hourUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import {
  askPacked,
  checksOfSpan,
  checksTable,
  hasPackedDay,
  PackedBytesError,
  type PackedCheck,
  type PackedDay,
  packedDigest,
} from '@vantage/storage/packed';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { compareValueDay } from './compare-value-sums.ts';
import type { DeviceDay } from './device-day.ts';
import { differencesOf, type SumDifference, type SumRow } from './differences.ts';
import { readProgress, readRetired } from './progress.ts';
import { dailySums, hourlySums, storedSums } from './write-sums.ts';

/** A comparison of the sums of a day with its checks. */
export interface DayComparison {
  /** Hours that were compared; those that wait to be rolled up were not. */
  readonly hours: number;
  readonly isPacked: boolean;
  /** The fault; undefined: sums and checks agree, or nothing was compared. */
  readonly fault: DayFault | undefined;
}

export type DayFault =
  | {
      readonly kind: 'differs';
      readonly hourly: readonly SumDifference[];
      readonly daily: readonly SumDifference[];
      /** The checks of an hour of the day, for FROM. */
      readonly checksOf: (hourUs: number) => RawBuilder<unknown>;
      /** The checks of a packed day; undefined: they are rows. */
      readonly unpacked: readonly PackedCheck[] | undefined;
    }
  /** Of the checks: the sums are better than they. */
  | { readonly kind: 'damaged' | 'missing'; readonly reason: string };

/** Nothing can be compared: the sums are final, no hour is rolled up, or the device was deleted. */
const nothing: DayComparison = { hours: 0, isPacked: false, fault: undefined };

/**
 * Compares the sums of a day of a device, and of its values, with those of its checks by the statements of the roll-up,
 * and the day with its hours. Without locks a result, the roll-up or the packer may come between its statements: only a
 * difference that `examineDay` finds again, under their locks, is one.
 */
export async function compareDay(kysely: Kysely<Tables>, day: DeviceDay): Promise<DayComparison> {
  const { deviceNo, dayUs: beginUs } = day;
  const toUs = beginUs + dayUs;
  const settled = await settledHours(kysely, beginUs);
  const device = sql`select 1 from devices where device_no = ${deviceNo}::int`;
  if (settled.size === 0 || (await device.execute(kysely)).rows.length === 0) return nothing;
  const span = { deviceNo, fromUs: beginUs, toUs };
  const packed = await readPackedDay(kysely, day);
  let unpacked: readonly PackedCheck[] | undefined;
  try {
    if (packed !== undefined) unpacked = await checksOfSpan(kysely, span);
  } catch (error) {
    if (!(error instanceof PackedBytesError)) throw error;
    return { hours: 0, isPacked: true, fault: { kind: 'damaged', reason: error.message } };
  }
  const checksIn = (fromUs: number, untilUs: number) =>
    unpacked === undefined
      ? sql`checks where device_no = ${deviceNo}::int and start_us >= ${fromUs}::bigint and start_us < ${untilUs}::bigint`
      : checksTable(unpacked.filter(({ start_us: us }) => us >= fromUs && us < untilUs));
  const computed = await rowsOf(kysely, hourlySums(checksIn(beginUs, toUs)));
  const stored = await storedRows(kysely, 'rollup_hourly', day);
  const isSettled = ({ bucket_us: us }: SumRow) => settled.has(us);
  const values = await compareValueDay(kysely, day, { settled, unpacked });
  const hourly = [
    ...differencesOf(stored.filter(isSettled), computed.filter(isSettled), storedSums),
    ...values.hourly,
  ];
  const dayOfHours = await rowsOf(kysely, dailySums(beginUs, [deviceNo]));
  const daily = [
    ...differencesOf(await storedRows(kysely, 'rollup_daily', day), dayOfHours, storedSums),
    ...values.daily,
  ];
  const hours = new Set([...stored, ...computed].filter(isSettled).map(({ bucket_us }) => bucket_us)).size;
  const compared = { hours, isPacked: packed !== undefined };
  if (hourly.length + daily.length === 0) return { ...compared, fault: undefined };
  const lost = goodIn(computed) === 0 ? goodIn(stored) : 0;
  if (packed !== undefined && hourly.length > 0 && !isIntact(packed))
    return { ...compared, fault: { kind: 'damaged', reason: 'the packed bytes do not have their digest' } };
  if (packed === undefined && hourly.length > 0 && lost > 0)
    return {
      ...compared,
      fault: { kind: 'missing', reason: `${lost} good checks that were counted are missing` },
    };
  const checksOf = (fromUs: number) => checksIn(fromUs, fromUs + hourUs);
  return { ...compared, fault: { kind: 'differs', hourly, daily, checksOf, unpacked } };
}

/** The begins of the hours of a day that are rolled up and do not wait for it again; none of a retired day. */
async function settledHours(kysely: Kysely<Tables>, beginUs: number): Promise<ReadonlySet<number>> {
  const retiredUs = await readRetired(kysely);
  if (retiredUs === undefined || beginUs < retiredUs) return new Set();
  const { rolledToUs, dirty } = await readProgress(kysely);
  const hours = Array.from({ length: dayUs / hourUs }, (_, i) => beginUs + i * hourUs);
  return new Set(hours.filter((us) => us + hourUs <= rolledToUs && !dirty.has(us)));
}

async function readPackedDay(
  kysely: Kysely<Tables>,
  { deviceNo, dayUs: beginUs }: DeviceDay,
): Promise<(PackedDay & { readonly digest: Uint8Array | null }) | undefined> {
  if (!(await hasPackedDay(kysely, { deviceNo, fromUs: beginUs, toUs: beginUs + dayUs }))) return undefined;
  const { rows } = await askPacked(() =>
    sql<PackedDay & { readonly digest: Uint8Array | null }>`
      select checks, marks as keys, facts, digest from packed_checks
      where device_no = ${deviceNo}::int and day_us = ${beginUs}::bigint`.execute(kysely),
  );
  return rows[0];
}

/** An earlier version stored no digest. */
function isIntact(packed: PackedDay & { readonly digest: Uint8Array | null }): boolean {
  return packed.digest === null || Buffer.compare(packed.digest, packedDigest(packed)) === 0;
}

async function storedRows(
  kysely: Kysely<Tables>,
  table: 'rollup_hourly' | 'rollup_daily',
  { deviceNo, dayUs: beginUs }: DeviceDay,
): Promise<readonly SumRow[]> {
  return rowsOf(
    kysely,
    sql`select * from ${sql.table(table)} where device_no = ${deviceNo}::int
      and bucket_us >= ${beginUs}::bigint and bucket_us < ${beginUs + dayUs}::bigint`,
  );
}

async function rowsOf(kysely: Kysely<Tables>, query: RawBuilder<unknown>): Promise<readonly SumRow[]> {
  return (await sql<SumRow>`${query}`.execute(kysely)).rows;
}

/** The number of good checks in these sums. */
function goodIn(rows: readonly SumRow[]): number {
  return rows.reduce(
    (sum, { checks, errors, inconclusive }) => sum + Number(checks) - Number(errors) - Number(inconclusive),
    0,
  );
}
