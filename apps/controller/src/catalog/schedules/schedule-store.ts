import { storedSteps } from '@vantage/alerts/stored-steps';
import type { Db, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import { columnsOf } from '../../resources/field-table.ts';
import type { ResourcePage } from '../../resources/resource-routes.ts';
import { type NscheduleSettings, nscheduleTable } from './schedule-fields.ts';

/** A notification schedule. */
export interface NscheduleRow extends NscheduleSettings {
  readonly nschedule_no: number;
  readonly nschedule_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const columns = [
  'nschedule_no',
  'nschedule_id',
  ...columnsOf(nscheduleTable),
  'created_at',
  'updated_at',
] as const;

function readRow(row: Omit<NscheduleRow, 'steps'> & { readonly steps: unknown }): NscheduleRow {
  return { ...row, steps: storedSteps.parse(row.steps) };
}

/** A page of the account's notification schedules by name, and how many there are. */
export async function listNschedules(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  page: ResourcePage,
): Promise<{ readonly rows: readonly NscheduleRow[]; readonly total: number }> {
  const { id, externalKey, source } = page;
  let own = kysely.selectFrom('nschedules').where('account_no', '=', accountNo);
  if (id !== undefined) own = own.where('nschedule_id', '=', id);
  if (externalKey !== undefined) own = own.where('external_key', '=', externalKey);
  if (source !== undefined) own = own.where('source', '=', source);
  const [rows, { total }] = await Promise.all([
    own
      .select(columns)
      .orderBy('name')
      .orderBy('nschedule_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows: rows.map(readRow), total };
}

/** The account's schedule with this id, for a change. The caller holds the account's lock. */
export async function findNschedule(
  { trx }: ChangeTransaction,
  accountNo: number,
  nscheduleId: string,
): Promise<NscheduleRow | undefined> {
  const row = await trx
    .selectFrom('nschedules')
    .select(columns)
    .where('account_no', '=', accountNo)
    .where('nschedule_id', '=', nscheduleId)
    .executeTakeFirst();
  return row && readRow(row);
}

/** Inserts a schedule; returns its number. */
export async function insertNschedule(
  { trx }: ChangeTransaction,
  { id, accountNo, ...settings }: NscheduleSettings & { readonly accountNo: number; readonly id: string },
): Promise<number> {
  const { nschedule_no } = await trx
    .insertInto('nschedules')
    .values({
      ...settings,
      steps: JSON.stringify(settings.steps),
      nschedule_id: id,
      account_no: accountNo,
    })
    .returning('nschedule_no')
    .executeTakeFirstOrThrow();
  return nschedule_no;
}

/** Writes the settings of a schedule. */
export async function updateNschedule(
  { trx }: ChangeTransaction,
  { nschedule_no }: NscheduleRow,
  settings: NscheduleSettings,
): Promise<void> {
  const steps = JSON.stringify(settings.steps);
  await trx
    .updateTable('nschedules')
    .set({ ...settings, steps })
    .where('nschedule_no', '=', nschedule_no)
    .execute();
}

/** Deletes a schedule. */
export async function deleteNschedule({ trx }: ChangeTransaction, nscheduleNo: number): Promise<void> {
  await trx.deleteFrom('nschedules').where('nschedule_no', '=', nscheduleNo).execute();
}

/** A contact, for a preview: `notify` null: all kinds. */
export interface PreviewedContact {
  readonly contact_id: string;
  readonly name: string;
  readonly type: string;
  readonly notify: readonly string[] | null;
  readonly shadow: boolean;
}

/** The contacts of the account with these ids. */
export async function contactsById(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  contactIds: readonly string[],
): Promise<ReadonlyMap<string, PreviewedContact>> {
  const { rows } = await sql<PreviewedContact>`
    select contact_id, name, type, notify, shadow from contacts
    where account_no = ${accountNo} and contact_id = any(${contactIds}::text[])`.execute(kysely);
  return new Map(rows.map((row) => [row.contact_id, row]));
}

/** The contacts among these that the account does not have. The caller has locked the account. */
export async function unknownContacts(
  trx: Kysely<Tables>,
  accountNo: number,
  contactIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ contact_id: string }>`
    select contact_id from contacts
    where account_no = ${accountNo} and contact_id = any(${contactIds}::text[])`.execute(trx);
  const known = new Set(rows.map(({ contact_id }) => contact_id));
  return new Set(contactIds.filter((id) => !known.has(id)));
}

/**
 * The devices, Locations (up to eleven of each) and the account that use a notification schedule. The caller holds the
 * account's lock.
 */
export async function usersOfNschedule(
  { trx }: ChangeTransaction,
  accountNo: number,
  nscheduleNo: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ text: string }>`
    (select 'device ' || short_name || ' (' || device_id || ')' as text from devices
      where account_no = ${accountNo} and nschedule_no = ${nscheduleNo} order by device_no limit 11)
    union all
    (select 'Location ' || name || ' (' || location_id || ')' from locations
      where account_no = ${accountNo} and nschedule_no = ${nscheduleNo} and deleted_at is null order by name limit 11)
    union all
    (select 'the account' from accounts where account_no = ${accountNo} and nschedule_no = ${nscheduleNo})`.execute(
    trx,
  );
  return rows.map(({ text }) => text);
}
