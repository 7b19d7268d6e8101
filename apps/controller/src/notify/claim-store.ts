import { hourUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { DueContact } from './fair-share.ts';

/** The database's clock, so that controllers with different clocks agree which leases have ended. */
const dbNowUs = sql<number>`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;
const isFree = sql<boolean>`(n.lease_until_us is null or n.lease_until_us < ${dbNowUs})`;
/**
 * An earlier notification of the same contact and key is not at its end. `offset 0` keeps PostgreSQL from joining all notifications of the
 * contact with each other, which takes minutes where thousands wait: it asks the index for each row.
 */
const isBlocked = sql<boolean>`exists (
  select from notifications e where e.contact_no = n.contact_no and e.order_key = n.order_key and e.state = 'Pending'
    and e.notification_no < n.notification_no offset 0)`;
/** The end of the earlier notification wakes the blocked ones; this is for the case that a program of another version ended it. */
const blockedUs = hourUs;

/** A notification that may leave. */
export interface FreeRow {
  readonly notification_no: number;
  readonly notification_id: string;
  readonly alert_no: number | null;
  readonly order_key: string;
  readonly kind: string;
  readonly data: unknown;
  readonly at_us: number;
  readonly created_us: number;
  readonly attempts: number;
  readonly first_attempt_us: number | null;
  readonly message: unknown;
}

const freeColumns = sql`n.notification_no, n.notification_id, n.alert_no, n.order_key, n.kind, n.data, n.at_us, n.created_us, n.attempts,
  n.first_attempt_us, n.message`;

/** Contacts with notifications that are due and not leased, the longest waiting first, without those in `busy`. */
export async function dueContacts(
  db: Kysely<Tables>,
  {
    nowUs,
    busy,
    limit,
  }: { readonly nowUs: number; readonly busy: readonly number[]; readonly limit: number },
): Promise<readonly DueContact[]> {
  const { rows } = await sql<DueContact>`
    select n.contact_no as "contactNo", min(n.account_no) as "accountNo", coalesce(bool_or(h.failures > 0), false) as "isFailing"
    from notifications n left join contact_health h using (contact_no)
    where n.state = 'Pending' and n.leader_no is null and n.due_us <= ${nowUs} and ${isFree}
      and n.contact_no <> all(${busy}::int[])
    group by n.contact_no order by min(n.due_us), n.contact_no limit ${limit}`.execute(db);
  return rows;
}

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
    previous_secret_until_us: number | null;
    timezone: string;
  }>`
    select c.contact_id, c.account_no, c.name, c.type, c.sealed, c.previous_secret_until_us, a.timezone
    from contacts c join accounts a using (account_no) where c.contact_no = ${contactNo}`.execute(db);
  return rows[0];
}

/** Notifications that are due, not leased and not blocked: attempted ones, or never attempted ones. Locks them. */
export async function freeRows(
  trx: Kysely<Tables>,
  ask: {
    readonly contactNo: number;
    readonly nowUs: number;
    readonly areAttempted: boolean;
    readonly limit: number;
  },
): Promise<readonly FreeRow[]> {
  const { contactNo, nowUs, areAttempted, limit } = ask;
  const { rows } = await sql<FreeRow>`
    select ${freeColumns} from notifications n
    where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null and n.due_us <= ${nowUs} and ${isFree}
      and (n.attempts > 0) = ${areAttempted} and not ${isBlocked}
    order by n.notification_no limit ${limit} for update skip locked`.execute(trx);
  return rows;
}

/**
 * Notifications that were never attempted and may leave in one message: also those that wait for each other, but none that waits for an
 * attempted one. Locks them.
 */
export async function mergeableRows(
  trx: Kysely<Tables>,
  contactNo: number,
  limit: number,
): Promise<readonly FreeRow[]> {
  const { rows } = await sql<FreeRow>`
    select ${freeColumns} from notifications n
    where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null and n.attempts = 0
      and not exists (
        select from notifications e where e.contact_no = n.contact_no and e.order_key = n.order_key and e.state = 'Pending'
          and e.attempts > 0 offset 0)
    order by n.notification_no limit ${limit} for update`.execute(trx);
  return rows;
}

/** Stores the begin of an attempt: from here on the message is fixed. The members are merged into it. */
export async function lease(
  trx: Kysely<Tables>,
  attempt: {
    readonly no: number;
    readonly memberNos: readonly number[];
    /** The message as JSON; null: it is stored already. */
    readonly message: string | null;
    readonly token: string;
    readonly leaseUs: number;
    readonly nowUs: number;
  },
): Promise<void> {
  const { no, memberNos, message, token, leaseUs, nowUs } = attempt;
  await sql`
    update notifications set attempts = attempts + 1, first_attempt_us = coalesce(first_attempt_us, ${nowUs}),
      message = case when notification_no = ${no} then coalesce(message, ${message}::jsonb) end,
      leader_no = case when notification_no <> ${no} then ${no}::bigint end,
      lease_token = case when notification_no = ${no} then ${token} end,
      lease_until_us = case when notification_no = ${no} then ${dbNowUs} + ${leaseUs}::bigint end
    where notification_no = any(${[no, ...memberNos]}::bigint[]) or leader_no = ${no}`.execute(trx);
}

/** Keeps notifications that were never attempted until a time. */
export async function hold(trx: Kysely<Tables>, nos: readonly number[], untilUs: number): Promise<void> {
  if (nos.length === 0) return;
  await sql`update notifications set due_us = ${untilUs} where notification_no = any(${nos}::bigint[])`.execute(
    trx,
  );
}

/** Keeps those that wait for an earlier one out of the way of the next claims. `releaseFollowers` ends that. */
export async function holdBlocked(trx: Kysely<Tables>, contactNo: number, nowUs: number): Promise<void> {
  await sql`
    update notifications n set due_us = ${nowUs + blockedUs}
    where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null and n.due_us <= ${nowUs} and ${isFree}
      and ${isBlocked}`.execute(trx);
}

/** Stores when messages to the contact left. */
export async function storeGrouping(trx: Kysely<Tables>, contactNo: number, grouping: object): Promise<void> {
  const json = JSON.stringify(grouping);
  await sql`update contact_health set grouping = ${json}::jsonb where contact_no = ${contactNo}`.execute(trx);
}

/** Ends notifications that can never leave. */
export async function endUnsent(
  trx: Kysely<Tables>,
  ask: {
    readonly nos: readonly number[];
    readonly state: 'Failed' | 'Withdrawn';
    readonly answer: string;
    readonly nowUs: number;
  },
): Promise<void> {
  const { nos, state, answer, nowUs } = ask;
  await sql`
    update notifications set state = ${state}, answer = ${answer}, ended_us = ${nowUs}, message = null, lease_token = null
    where state = 'Pending' and (notification_no = any(${nos}::bigint[]) or leader_no = any(${nos}::bigint[]))`.execute(
    trx,
  );
}

/** The numbers of a deleted contact's notifications that no worker sends at this moment. */
export async function unsentOf(trx: Kysely<Tables>, contactNo: number): Promise<readonly number[]> {
  const { rows } = await sql<{ notification_no: number }>`
    select n.notification_no from notifications n
    where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null and ${isFree}
    order by n.notification_no for update`.execute(trx);
  return rows.map((row) => row.notification_no);
}
