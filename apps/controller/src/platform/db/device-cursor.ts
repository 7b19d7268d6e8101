import { isId } from '@vantage/kernel';
import { sql } from 'kysely';
import type { Db } from './db.ts';

/**
 * Where a list of devices goes on after the device with this id: its number. Known also for a day after the device was
 * deleted.
 */
export async function findDeviceCursor(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  deviceId: string,
): Promise<number | undefined> {
  if (!isId(deviceId)) return undefined;
  const { rows } = await sql<{ device_no: number }>`
    select device_no from devices where account_no = ${accountNo} and device_id = ${deviceId}
    union all select device_no from deleted_devices where account_no = ${accountNo} and device_id = ${deviceId}
    limit 1`.execute(kysely);
  return rows[0]?.device_no;
}
