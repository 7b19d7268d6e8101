import { isId } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { sql } from 'kysely';

/**
 * The number of the device with this id, after which a list of devices continues. A deleted device is found for a day.
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
