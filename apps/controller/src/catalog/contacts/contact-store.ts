import { raw } from '@mikro-orm/core';
import type { Db, Row, Tables } from '@vantage/storage';
import { Contact } from '@vantage/storage/entities';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { ResourcePage } from '../../resources/resource-routes.ts';

/** A contact as answers show it; `notify` null: all kinds. */
export type ContactRow = Pick<
  Row<'contacts'>,
  | 'contact_no'
  | 'contact_id'
  | 'name'
  | 'type'
  | 'address'
  | 'notify'
  | 'options'
  | 'shadow'
  | 'external_key'
  | 'source'
  | 'previous_secret_until_us'
  | 'created_at'
  | 'updated_at'
>;

/** A page of the account's contacts by name, and how many there are. */
export async function listContacts(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  page: ResourcePage,
): Promise<{ readonly rows: readonly ContactRow[]; readonly total: number }> {
  const { id, externalKey, source } = page;
  let own = kysely.selectFrom('contacts').where('account_no', '=', accountNo);
  if (id !== undefined) own = own.where('contact_id', '=', id);
  if (externalKey !== undefined) own = own.where('external_key', '=', externalKey);
  if (source !== undefined) own = own.where('source', '=', source);
  const [rows, { total }] = await Promise.all([
    own
      .select([
        'contact_no',
        'contact_id',
        'name',
        'type',
        'address',
        'notify',
        'options',
        'shadow',
        'external_key',
        'source',
      ])
      .select(['previous_secret_until_us', 'created_at', 'updated_at'])
      .orderBy('name')
      .orderBy('contact_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** A contact with its account, for the operator. */
export interface AccountContact {
  readonly contact_id: string;
  readonly account: string;
  readonly name: string;
  readonly type: string;
  readonly address: string;
}

/** Contacts of one account, or of all when `accountNo` is undefined; by account and name. */
export async function listAccountContacts(
  kysely: Kysely<Tables>,
  accountNo: number | undefined,
): Promise<readonly AccountContact[]> {
  const all = kysely
    .selectFrom('contacts as c')
    .innerJoin('accounts as a', 'a.account_no', 'c.account_no')
    .select(['c.contact_id', 'a.name as account', 'c.name', 'c.type', 'c.address'])
    .orderBy('a.name')
    .orderBy('c.name')
    .orderBy('c.contact_no');
  return (accountNo === undefined ? all : all.where('c.account_no', '=', accountNo)).execute();
}

/** The account's contacts with this id, name or address (as it is shown), at most two. */
export async function findContactsNamed(
  kysely: Kysely<Tables>,
  accountNo: number,
  named: string,
): Promise<readonly Pick<ContactRow, 'contact_no' | 'contact_id' | 'name'>[]> {
  return kysely
    .selectFrom('contacts')
    .select(['contact_no', 'contact_id', 'name'])
    .where('account_no', '=', accountNo)
    .where(sql<boolean>`${named} in (contact_id, name, address)`)
    .orderBy('contact_no')
    .limit(2)
    .execute();
}

/** The account's contact with this id, for a change. The caller holds the account's lock. */
export async function findContact(
  { em }: ChangeTransaction,
  accountNo: number,
  contactId: string,
): Promise<Contact | undefined> {
  return (await em.findOne(Contact, { accountNo, contactId })) ?? undefined;
}

/** The columns that the owner of a contact sets. */
type ContactColumns = Pick<
  Contact,
  'name' | 'address' | 'sealed' | 'externalKey' | 'source' | 'notify' | 'options' | 'shadow'
>;

/** Inserts a contact. */
export async function insertContact(
  { em }: ChangeTransaction,
  contact: ContactColumns & Pick<Contact, 'contactId' | 'accountNo' | 'type'>,
): Promise<void> {
  em.create(Contact, contact);
  await em.flush();
}

/** Writes changed columns of a contact. */
export async function updateContact(
  { em }: ChangeTransaction,
  contact: Contact,
  changes: Partial<ContactColumns & Pick<Contact, 'previousSecretUntilUs'>>,
): Promise<void> {
  em.assign(contact, { ...changes, updatedAt: raw<Date>('clock_timestamp()') });
  await em.flush();
}

/** Deletes a contact. */
export async function deleteContact({ em }: ChangeTransaction, contactNo: number): Promise<void> {
  await em.nativeDelete(Contact, { contactNo });
}

/** The notification schedules and monthly reports that name a contact, up to eleven. */
export async function usersOfContact(
  trx: Kysely<Tables>,
  { accountNo, contactId, contactNo }: Pick<Contact, 'accountNo' | 'contactId' | 'contactNo'>,
): Promise<readonly { readonly kind: string; readonly name: string; readonly id: string }[]> {
  const { rows } = await sql<{ kind: string; name: string; id: string }>`
    (select 'notification schedule' as kind, name, nschedule_id as id from nschedules where account_no = ${accountNo}
      and steps @> jsonb_build_array(jsonb_build_object('Contacts', jsonb_build_array(${contactId}::text)))
    order by nschedule_no limit 11)
    union all
    (select 'monthly report', name, report_id from reports
      where account_no = ${accountNo} and ${contactNo}::int = any (contact_nos) order by report_no limit 11)
    limit 11`.execute(trx);
  return rows;
}
