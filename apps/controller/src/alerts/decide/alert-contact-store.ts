import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A contact that can be notified. `notify` null: it gets all kinds of messages. */
export interface AlertContact {
  readonly contactNo: number;
  readonly contactId: string;
  readonly accountNo: number;
  readonly type: string;
  readonly notify: readonly string[] | null;
}

/** The contacts that exist among these. */
export async function contactsOf(
  trx: Kysely<Tables>,
  contactIds: readonly string[],
): Promise<AlertContact[]> {
  if (contactIds.length === 0) return [];
  const rows = await trx
    .selectFrom('contacts')
    .select(['contact_no', 'contact_id', 'account_no', 'type', 'notify'])
    .where(sql<boolean>`contact_id = any(${contactIds}::text[])`)
    .execute();
  return rows.map((row) => ({
    contactNo: row.contact_no,
    contactId: row.contact_id,
    accountNo: row.account_no,
    type: row.type,
    notify: row.notify,
  }));
}
