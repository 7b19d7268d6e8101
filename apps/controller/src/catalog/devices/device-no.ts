import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/** Which device of this account has this id? */
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
