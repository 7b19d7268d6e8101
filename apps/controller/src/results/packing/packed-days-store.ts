import { dayUs } from '@vantage/domain';
import { maxDaysInRun, startOfDay, type Tables } from '@vantage/storage';
import { askPacked } from '@vantage/storage/packed';
import { type Kysely, type RawBuilder, sql } from 'kysely';

/** The next device after this one that has a check of that day to pack. */
export async function nextDevice(
  kysely: Kysely<Tables>,
  beginUs: number,
  deviceNo: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from checks where start_us >= ${sql.lit(beginUs)} and start_us < ${sql.lit(beginUs + dayUs)}
      and device_no > ${deviceNo}::int and ${isPlain} order by device_no limit 1`.execute(kysely);
  return rows[0]?.device_no;
}

/** Adds a packed day to what is known of its device on the coordinator. */
export async function notePackedDay(
  trx: Kysely<Tables>,
  day: {
    readonly deviceNo: number;
    readonly firstUs: number;
    readonly lastUs: number;
    readonly lastResult: string;
  },
): Promise<void> {
  await sql`
    insert into packed_devices as p (device_no, first_us, last_us, last_result)
    values (${day.deviceNo}, ${day.firstUs}, ${day.lastUs}, ${day.lastResult})
    on conflict (device_no) do update set first_us = least(p.first_us, excluded.first_us),
      last_result = case when excluded.last_us < p.last_us then p.last_result else excluded.last_result end,
      last_us = greatest(p.last_us, excluded.last_us)`.execute(trx);
}

/** The start of the first packed check; undefined: no day is packed. Reads the coordinator only. */
export async function firstPackedUs(kysely: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ us: number | null }>`
    select min(first_us)::bigint as us from packed_devices`.execute(kysely);
  return rows[0]?.us ?? undefined;
}

/**
 * Deletes the oldest packed days that ended before the retention, at most `maxDaysInRun` of them, some rows at a time.
 * Asks no worker while there are none.
 */
export async function dropPackedDays(kysely: Kysely<Tables>, retainedUs: number): Promise<void> {
  const firstUs = await firstPackedUs(kysely);
  if (firstUs === undefined || startOfDay(firstUs) >= startOfDay(retainedUs)) return;
  const beforeUs = Math.min(startOfDay(retainedUs), startOfDay(firstUs) + maxDaysInRun * dayUs);
  if (!(await deletePacked(kysely, sql`day_us < ${beforeUs}::bigint`))) return;
  await kysely.transaction().execute(async (trx) => {
    await sql`delete from packed_devices where last_us < ${beforeUs}::bigint`.execute(trx);
    await sql`update packed_devices set first_us = ${beforeUs}::bigint where first_us < ${beforeUs}::bigint`.execute(
      trx,
    );
  });
}

/** Devices whose packed days one call deletes. */
const maxDevices = 1_000;

/** Deletes the packed days of devices that were deleted. Asks no worker while there are none. */
export async function dropDaysOfDeleted(kysely: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from packed_devices p where not exists (select from devices d where d.device_no = p.device_no)
    order by device_no limit ${maxDevices}`.execute(kysely);
  if (rows.length === 0) return;
  const deviceNos = rows.map(({ device_no }) => device_no);
  if (!(await deletePacked(kysely, sql`device_no = any(${deviceNos}::int[])`))) return;
  await sql`delete from packed_devices where device_no = any(${deviceNos}::int[])`.execute(kysely);
}

/** Deletes packed days, some at a time; false: some are left for the next call. */
async function deletePacked(kysely: Kysely<Tables>, which: RawBuilder<unknown>): Promise<boolean> {
  for (let call = 0; call < maxInCall; call += 1) {
    const { numAffectedRows } = await askPacked(() =>
      sql`
        delete from packed_checks where (device_no, day_us) in (
          select device_no, day_us from packed_checks where ${which} limit 1000)`.execute(kysely),
    );
    if (numAffectedRows === undefined || numAffectedRows === 0n) return true;
  }
  return false;
}

/** The device-days of one call. */
export const maxInCall = 500;

/** The checks to pack: good checks without a run request. The partial indexes of `checks` contain all others. */
export const isPlain = sql<boolean>`(code = 1 and run_request_id is null)`;
