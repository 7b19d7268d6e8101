import { hourUs } from '@vantage/domain';
import { declareShare } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { updatedUs } from './record.ts';
import { type Due, fits, hostOf, inTurns, slowIn, type Taken } from './sending/places.ts';

declareShare({
  name: 'contacts_with_notifications',
  limit: '128 attempts at one time; 64 to slow receivers, 32 to failing ones',
  filledBy: 'accounts',
  share: '32 an account, 64 a host, 4 a contact; slow 16, 32, 4; failing 8, 16, 1; accounts take turns',
});

/** The database's clock, so that controllers with different clocks agree which leases have ended. */
const dbNowUs = sql<number>`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;
const isFree = sql<boolean>`(n.lease_until_us is null or n.lease_until_us < ${dbNowUs})`;
/**
 * An earlier notification of the same contact and key is not at its end. `offset 0` keeps PostgreSQL from joining all
 * notifications of the contact with each other, which takes minutes where thousands wait: it asks the index for each
 * row.
 */
const isBlocked = sql<boolean>`exists (
  select from notifications e where e.contact_no = n.contact_no and e.order_key = n.order_key and e.state = 'Pending'
    and e.notification_no < n.notification_no offset 0)`;
/**
 * The end of the earlier notification wakes the blocked ones; this is for the case that a program of another version
 * ended it.
 */
const blockedUs = hourUs;
/** The column of the index that keeps attempted notifications (1) apart from those that were never attempted (0). */
const wasAttempted = sql<number>`least(n.attempts, 1)`;
/** A claim reads at most so many notifications at once. */
const atOnce = 100;

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
  /** The receiver may have accepted an attempt whose answer did not arrive. */
  readonly maybe_sent: boolean;
}

const freeColumns = sql`n.notification_no, n.notification_id, n.alert_no, n.order_key, n.kind, n.data, n.at_us, n.created_us, n.attempts,
  n.first_attempt_us, n.message, (n.maybe_sent or n.lease_token is not null) as maybe_sent`;

/** A contact that has notifications which are due. */
export interface DueContact extends Due {
  readonly contactNo: number;
}

/**
 * Contacts with notifications that are due and not leased, and a place, in turns by account. The statement goes from
 * contact to contact by the index, so that it costs the same however many notifications wait for one of them.
 */
export async function dueContacts(
  db: Kysely<Tables>,
  { nowUs, taken, limit }: { readonly nowUs: number; readonly taken: Taken; readonly limit: number },
): Promise<readonly DueContact[]> {
  const next = (after: ReturnType<typeof sql.ref>) => sql`(
    select n.contact_no from notifications n where n.state = 'Pending' and n.leader_no is null and n.contact_no > ${after}
    order by n.contact_no limit 1)`;
  const first = (attempted: number) => sql`(
    select n.account_no, n.due_us from notifications n
    where n.state = 'Pending' and n.leader_no is null and n.contact_no = w.contact_no and ${wasAttempted} = ${sql.lit(attempted)}
      and n.due_us <= ${nowUs} and ${isFree}
    order by n.due_us limit 1)`;
  const columns = {
    accountNo: sql.ref('due.account_no'),
    receiver: sql.ref('due.receiver'),
    dueUs: sql.ref('due.due_us'),
    host: sql.ref('due.host'),
    isFailing: sql.ref('due.failing'),
  };
  const { rows } = await sql<DueContact>`
    with recursive start as (select 0 as contact_no), waiting as (
      select ${next(sql.ref('start.contact_no'))} as contact_no from start
      union all select ${next(sql.ref('w.contact_no'))} from waiting w where w.contact_no is not null),
    due as (
      select w.contact_no, 'contact ' || w.contact_no as receiver, first.account_no, first.due_us,
        coalesce(h.failures > 0, false) as failing, ${hostOf(sql.ref('c.address'), sql.ref('c.type'))} as host
      from waiting w
        cross join lateral (
          select account_no, due_us from (${first(0)} union all ${first(1)}) either order by due_us limit 1) first
        left join contact_health h on h.contact_no = w.contact_no
        left join contacts c on c.contact_no = w.contact_no)
    select contact_no as "contactNo", account_no as "accountNo", receiver, host, failing as "isFailing",
      ${slowIn(taken, columns)} as "isSlow"
    from due where ${fits(taken, columns)} order by ${inTurns(columns)} limit ${limit}`.execute(db);
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
 * Notifications that are due, not leased and not blocked: attempted ones, or never attempted ones, the longest due
 * first. Blocked ones are held on the way, so that no claim reads them again: `releaseFollowers` ends that. The lock of
 * the contact covers its notifications.
 */
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
  const free: number[] = [];
  let after = { due_us: 0, notification_no: 0 };
  while (free.length < limit) {
    const { rows } = await sql<{ notification_no: number; due_us: number; blocked: boolean }>`
      select n.notification_no, n.due_us, ${isBlocked} as blocked from notifications n
      where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null
        and ${wasAttempted} = ${sql.lit(areAttempted ? 1 : 0)} and n.due_us <= ${nowUs} and ${isFree}
        and (n.due_us, n.notification_no) > (${after.due_us}::bigint, ${after.notification_no}::bigint)
      order by n.due_us, n.notification_no limit ${atOnce}`.execute(trx);
    const numbersOf = (some: typeof rows) => some.map((row) => row.notification_no);
    free.push(...numbersOf(rows.filter((row) => !row.blocked)));
    await hold(trx, numbersOf(rows.filter((row) => row.blocked)), nowUs + blockedUs);
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce) break;
    after = last;
  }
  return readRows(trx, free.slice(0, limit));
}

/** These notifications, the longest due first. */
async function readRows(trx: Kysely<Tables>, nos: readonly number[]): Promise<readonly FreeRow[]> {
  if (nos.length === 0) return [];
  const { rows } = await sql<FreeRow>`
    select ${freeColumns} from notifications n where n.notification_no = any(${nos}::bigint[])
    order by n.due_us, n.notification_no`.execute(trx);
  return rows;
}

/**
 * Notifications that were never attempted and may leave in one message: also those that wait for each other, but none
 * that waits for an attempted one. Locks them.
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

/**
 * All that waits for the contact and was certainly not accepted, with what is merged into it, besides what follows a
 * message that may have been accepted: that one goes first, under its own id. Locks them.
 */
export async function waitingRows(
  trx: Kysely<Tables>,
  contactNo: number,
  limit: number,
): Promise<readonly FreeRow[]> {
  const { rows: leaders } = await sql<{ notification_no: number }>`
    select n.notification_no from notifications n
    where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null and not n.maybe_sent and n.lease_token is null
      and not exists (
        select from notifications e where e.contact_no = n.contact_no and e.order_key = n.order_key and e.state = 'Pending'
          and e.notification_no < n.notification_no and (e.maybe_sent or e.lease_token is not null) offset 0)
    order by n.notification_no limit ${limit} for update`.execute(trx);
  const nos = leaders.map((row) => row.notification_no);
  const { rows } = await sql<FreeRow>`
    select ${freeColumns} from notifications n
    where n.state = 'Pending' and (n.notification_no = any(${nos}::bigint[]) or n.leader_no = any(${nos}::bigint[]))
    order by n.notification_no`.execute(trx);
  return rows;
}

/** Stores the begin of an attempt: from here on the message is fixed. The members are merged into it. */
export async function lease(
  trx: Kysely<Tables>,
  attempt: {
    readonly no: number;
    readonly memberNos: readonly number[];
    /** The message as JSON; null: the stored one. */
    readonly message: string | null;
    readonly token: string;
    readonly leaseUs: number;
    readonly nowUs: number;
  },
): Promise<void> {
  const { no, memberNos, message, token, leaseUs, nowUs } = attempt;
  await sql`
    update notifications set attempts = attempts + 1, first_attempt_us = coalesce(first_attempt_us, ${nowUs}),
      message = case when notification_no = ${no} then coalesce(${message}::jsonb, message) end,
      maybe_sent = maybe_sent or lease_token is not null,
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

/** Keeps all that was never attempted and is due until a time, besides these. */
export async function holdOthers(
  trx: Kysely<Tables>,
  ask: {
    readonly contactNo: number;
    readonly besides: readonly number[];
    readonly nowUs: number;
    readonly untilUs: number;
  },
): Promise<void> {
  const { contactNo, besides, nowUs, untilUs } = ask;
  await sql`
    update notifications n set due_us = ${untilUs}
    where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null and ${wasAttempted} = 0 and n.due_us <= ${nowUs}
      and n.notification_no <> all(${besides}::bigint[])`.execute(trx);
}

/**
 * Stores that the contact is used as it is now. Call it before the contact is read: an edit in between is then seen as
 * one.
 */
export async function storeSeen(trx: Kysely<Tables>, contactNo: number): Promise<void> {
  await sql`
    update contact_health h set contact_seen_us = ${updatedUs} from contacts c
    where h.contact_no = ${contactNo} and c.contact_no = h.contact_no and h.contact_seen_us is distinct from ${updatedUs}`.execute(
    trx,
  );
}

/** Stores when messages to the contact left; what is not given stays. */
export async function storeGrouping(trx: Kysely<Tables>, contactNo: number, grouping: object): Promise<void> {
  const json = JSON.stringify(grouping);
  await sql`update contact_health set grouping = grouping || ${json}::jsonb where contact_no = ${contactNo}`.execute(
    trx,
  );
}

/** Ends notifications that can never leave. */
export async function endUnsent(
  trx: Kysely<Tables>,
  ask: {
    readonly nos: readonly number[];
    readonly state: 'Failed' | 'Withdrawn' | 'Shadow';
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
