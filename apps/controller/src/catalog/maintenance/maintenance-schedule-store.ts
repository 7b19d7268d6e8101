import type { Db } from '@vantage/storage';
import { sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import { columnsOf } from '../../resources/field-table.ts';
import type { ResourcePage } from '../../resources/resource-routes.ts';
import { type MscheduleSettings, mscheduleTable } from './maintenance-schedule-fields.ts';

/** A maintenance schedule. */
export interface MscheduleRow extends MscheduleSettings {
  readonly mschedule_no: number;
  readonly mschedule_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const columns = [
  'mschedule_no',
  'mschedule_id',
  ...columnsOf(mscheduleTable),
  'created_at',
  'updated_at',
] as const;

/** A page of the account's maintenance schedules by name, and how many there are. */
export async function listMschedules(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  page: ResourcePage,
): Promise<{ readonly rows: readonly MscheduleRow[]; readonly total: number }> {
  const { id, externalKey, source } = page;
  let own = kysely.selectFrom('mschedules').where('account_no', '=', accountNo);
  if (id !== undefined) own = own.where('mschedule_id', '=', id);
  if (externalKey !== undefined) own = own.where('external_key', '=', externalKey);
  if (source !== undefined) own = own.where('source', '=', source);
  const [rows, { total }] = await Promise.all([
    own
      .select(columns)
      .orderBy('name')
      .orderBy('mschedule_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** The account's schedule with this id, for a change. The caller holds the account's lock. */
export async function findMschedule(
  { trx }: ChangeTransaction,
  accountNo: number,
  mscheduleId: string,
): Promise<MscheduleRow | undefined> {
  return trx
    .selectFrom('mschedules')
    .select(columns)
    .where('account_no', '=', accountNo)
    .where('mschedule_id', '=', mscheduleId)
    .executeTakeFirst();
}

/** Inserts a schedule; returns its number. */
export async function insertMschedule(
  { trx }: ChangeTransaction,
  { id, accountNo, ...settings }: MscheduleSettings & { readonly accountNo: number; readonly id: string },
): Promise<number> {
  const { mschedule_no } = await trx
    .insertInto('mschedules')
    .values({ ...settings, mschedule_id: id, account_no: accountNo })
    .returning('mschedule_no')
    .executeTakeFirstOrThrow();
  return mschedule_no;
}

/** Writes the settings of a schedule. */
export async function updateMschedule(
  { trx }: ChangeTransaction,
  { mschedule_no }: MscheduleRow,
  settings: MscheduleSettings,
): Promise<void> {
  await trx.updateTable('mschedules').set(settings).where('mschedule_no', '=', mschedule_no).execute();
}

/** Deletes a schedule. */
export async function deleteMschedule({ trx }: ChangeTransaction, mscheduleNo: number): Promise<void> {
  await trx.deleteFrom('mschedules').where('mschedule_no', '=', mscheduleNo).execute();
}

/** The devices that use a maintenance schedule, up to eleven. The caller holds the account's lock. */
export async function usersOfMschedule(
  { trx }: ChangeTransaction,
  accountNo: number,
  mscheduleNo: number,
): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('devices')
    .select(['short_name', 'device_id'])
    .where('account_no', '=', accountNo)
    .where('mschedule_no', '=', mscheduleNo)
    .orderBy('device_no')
    .limit(11)
    .execute();
  return rows.map(({ short_name, device_id }) => `device ${short_name} (${device_id})`);
}
