import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { updatedUs } from './contact-health.ts';

/** Locks the contact until the transaction ends. Undefined when another worker has it. */
export async function lockContact(trx: Kysely<Tables>, contactNo: number) {
  const { rows } = await sql<{ failures: number; grouping: unknown }>`
    select failures, grouping from contact_health where contact_no = ${contactNo} for update skip locked`.execute(
    trx,
  );
  return rows[0];
}

/** The contact with its account's time zone; undefined when it was deleted. */
export async function readContact(db: Kysely<Tables>, contactNo: number) {
  const { rows } = await sql<{
    contact_id: string;
    account_no: number;
    name: string;
    type: string;
    sealed: Uint8Array;
    options: unknown;
    shadow: boolean;
    previous_secret_until_us: number | null;
    timezone: string;
    updated_us: number;
  }>`
    select c.contact_id, c.account_no, c.name, c.type, c.sealed, c.options, c.shadow, c.previous_secret_until_us, a.timezone,
      ${updatedUs} as updated_us
    from contacts c join accounts a using (account_no) where c.contact_no = ${contactNo}`.execute(db);
  return rows[0];
}

/**
 * Stores that the contact is used as it is now. Call it before the contact is read, so that an edit in between is
 * noticed.
 */
export async function storeSeen(trx: Kysely<Tables>, contactNo: number): Promise<void> {
  await sql`
    update contact_health h set contact_seen_us = ${updatedUs} from contacts c
    where h.contact_no = ${contactNo} and c.contact_no = h.contact_no and h.contact_seen_us is distinct from ${updatedUs}`.execute(
    trx,
  );
}

/** Stores when messages to the contact left; absent fields stay. */
export async function storeGrouping(trx: Kysely<Tables>, contactNo: number, grouping: object): Promise<void> {
  const json = JSON.stringify(grouping);
  await sql`update contact_health set grouping = grouping || ${json}::jsonb where contact_no = ${contactNo}`.execute(
    trx,
  );
}
