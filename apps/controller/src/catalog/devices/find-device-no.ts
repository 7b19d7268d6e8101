import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The number of the device of this account with this id, and when it was created. */
export async function findDeviceNo(
  db: Kysely<Tables>,
  accountNo: number,
  deviceId: string,
): Promise<{ readonly device_no: number; readonly created_us: number } | undefined> {
  const { rows } = await sql<{ device_no: number; created_us: number }>`
    select device_no, created_us from devices where device_id = ${deviceId} and account_no = ${accountNo}`.execute(
    db,
  );
  return rows[0];
}
