import { type Kysely, sql } from 'kysely';
import { Nschedule } from '../../db/entities.ts';
import type { Db, Row, Tables } from '../../db/index.ts';
import type { ChangeTransaction } from '../change.ts';
import type { Identity } from '../external-key.ts';
import type { ResourcePage } from '../resource-routes.ts';
import type { StoredSteps } from './fields.ts';

/** A notification schedule as answers show it. */
export type NscheduleRow = Pick<
  Row<'nschedules'>,
  'nschedule_id' | 'name' | 'timezone' | 'steps' | 'external_key' | 'source' | 'created_at' | 'updated_at'
>;

/** The columns that the owner of a notification schedule sets. */
export interface NscheduleSettings extends Identity {
  readonly name: string;
  readonly timezone: string;
  readonly steps: StoredSteps;
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
      .select(['nschedule_id', 'name', 'timezone', 'steps', 'external_key', 'source'])
      .select(['created_at', 'updated_at'])
      .orderBy('name')
      .orderBy('nschedule_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** The account's schedule with this id, for a change. The caller holds the account's lock. */
export async function findNscheduleEntity(
  { em }: ChangeTransaction,
  accountNo: number,
  nscheduleId: string,
): Promise<Nschedule | undefined> {
  return (await em.findOne(Nschedule, { accountNo, nscheduleId })) ?? undefined;
}

/** Inserts a schedule; returns its number. */
export async function insertNschedule(
  { em }: ChangeTransaction,
  { id, ...schedule }: NscheduleSettings & { readonly accountNo: number; readonly id: string },
): Promise<number> {
  const made = em.create(Nschedule, { ...schedule, nscheduleId: id });
  await em.flush();
  return made.nscheduleNo;
}

/** Writes the settings of a schedule. */
export async function updateNschedule(
  { em }: ChangeTransaction,
  schedule: Nschedule,
  settings: NscheduleSettings,
): Promise<void> {
  em.assign(schedule, settings);
  await em.flush();
}

/** Deletes a schedule. */
export async function deleteNschedule({ em }: ChangeTransaction, nscheduleNo: number): Promise<void> {
  await em.nativeDelete(Nschedule, { nscheduleNo });
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

/** Which of these contacts the account does not have. The caller holds the account's lock. */
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
