import type { CauseOf } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';

/** The causes of the events that say that these devices are deleted, read before that. */
export async function deletionsOf(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly CauseOf<'device-deleted'>[]> {
  const { rows } = await sql<Omit<CauseOf<'device-deleted'>, 'kind'>>`
    select account_no as "accountNo", device_no as "deviceNo", device_id as "deviceId", short_name as "deviceName",
      full_name as "fullName",
      array(select t.tag_no from device_tags t where t.device_no = d.device_no order by t.tag_no) as "tagNos"
    from devices d where device_no = any(${deviceNos}::int[]) order by device_no`.execute(trx);
  return rows.map((row) => ({ kind: 'device-deleted', ...row }));
}

/**
 * Deletes a device with everything that refers to it. The retention drops its raw checks. False: it was gone before.
 */
export async function deleteDevice({ trx }: ChangeTransaction, deviceNo: number): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('devices')
    .where('device_no', '=', deviceNo)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The devices that have this one as their master. */
export async function dependentsOf(
  trx: Kysely<Tables>,
  deviceNo: number,
): Promise<readonly { readonly device_id: string; readonly short_name: string }[]> {
  return trx
    .selectFrom('devices')
    .select(['device_id', 'short_name'])
    .where('master_no', '=', deviceNo)
    .orderBy('device_no')
    .limit(100)
    .execute();
}
