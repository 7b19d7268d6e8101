import { hourUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { isFree, postponeNotifications, wasAttempted } from './notification-lease.ts';

/**
 * An earlier notification of the same contact and key has not ended. `offset 0` keeps PostgreSQL from joining all
 * notifications of the contact with each other, which takes minutes where thousands wait: it uses the index for each
 * row.
 */
const isBlocked = sql<boolean>`exists (
  select from notifications e where e.contact_no = n.contact_no and e.order_key = n.order_key and e.state = 'Pending'
    and e.notification_no < n.notification_no offset 0)`;
/**
 * The end of the earlier notification makes the blocked ones due. This limit is for the case that a controller of
 * another version ended it.
 */
const blockedUs = hourUs;

/** A claim reads at most this many notifications at once. */
const atOnce = 100;

/** A notification that may be sent. */
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

/**
 * Notifications that are due, not leased and not blocked: attempted ones, or never attempted ones, the longest due
 * first. Postpones blocked ones on the way, so that no claim reads them again until `releaseFollowers` makes them due.
 * The lock of the contact covers its notifications.
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
    await postponeNotifications(trx, numbersOf(rows.filter((row) => row.blocked)), nowUs + blockedUs);
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
 * Everything that waits for the contact and was certainly not accepted, with the notifications merged into it, except
 * notifications that follow a message which may have been accepted: that message is sent first, under its own id. Locks
 * them.
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
