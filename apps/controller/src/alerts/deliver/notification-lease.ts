import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { isUnleased, leaseEndUs } from './sending/leases.ts';

/** The notification `n` is leased by no worker. */
export const isFree = isUnleased('n');

/** The column of the index that separates attempted notifications (1) from those that were never attempted (0). */
export const wasAttempted = sql<number>`least(n.attempts, 1)`;

/** Stores the start of an attempt: from here on the message is fixed. The members are merged into it. */
export async function lease(
  trx: Kysely<Tables>,
  attempt: {
    readonly no: number;
    readonly memberNos: readonly number[];
    /** The message as JSON; null: the stored one. */
    readonly message: string | null;
    readonly token: string;
    readonly nowUs: number;
  },
): Promise<void> {
  const { no, memberNos, message, token, nowUs } = attempt;
  await sql`
    update notifications set attempts = attempts + 1, first_attempt_us = coalesce(first_attempt_us, ${nowUs}),
      message = case when notification_no = ${no} then coalesce(${message}::jsonb, message) end,
      maybe_sent = maybe_sent or lease_token is not null,
      leader_no = case when notification_no <> ${no} then ${no}::bigint end,
      lease_token = case when notification_no = ${no} then ${token} end,
      lease_until_us = case when notification_no = ${no} then ${leaseEndUs} end
    where notification_no = any(${[no, ...memberNos]}::bigint[]) or leader_no = ${no}`.execute(trx);
}

/** Postpones notifications that were never attempted. */
export async function postponeNotifications(
  trx: Kysely<Tables>,
  nos: readonly number[],
  untilUs: number,
): Promise<void> {
  if (nos.length === 0) return;
  await sql`update notifications set due_us = ${untilUs} where notification_no = any(${nos}::bigint[])`.execute(
    trx,
  );
}

/** Postpones all due notifications of the contact that were never attempted, except these. */
export async function postponeOthers(
  trx: Kysely<Tables>,
  postponed: {
    readonly contactNo: number;
    readonly except: readonly number[];
    readonly nowUs: number;
    readonly untilUs: number;
  },
): Promise<void> {
  const { contactNo, except, nowUs, untilUs } = postponed;
  await sql`
    update notifications n set due_us = ${untilUs}
    where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null and ${wasAttempted} = 0 and n.due_us <= ${nowUs}
      and n.notification_no <> all(${except}::bigint[])`.execute(trx);
}

/** Ends notifications that can never be sent. */
export async function endUnsent(
  trx: Kysely<Tables>,
  end: {
    readonly nos: readonly number[];
    readonly state: 'Failed' | 'Withdrawn' | 'Shadow';
    readonly answer: string;
    readonly nowUs: number;
  },
): Promise<void> {
  const { nos, state, answer, nowUs } = end;
  await sql`
    update notifications set state = ${state}, answer = ${answer}, ended_us = ${nowUs}, message = null, lease_token = null
    where state = 'Pending' and (notification_no = any(${nos}::bigint[]) or leader_no = any(${nos}::bigint[]))`.execute(
    trx,
  );
}

/** Locks the contact's notifications that no worker sends now, and returns their numbers. */
export async function lockUnsent(trx: Kysely<Tables>, contactNo: number): Promise<readonly number[]> {
  const { rows } = await sql<{ notification_no: number }>`
    select n.notification_no from notifications n
    where n.contact_no = ${contactNo} and n.state = 'Pending' and n.leader_no is null and ${isFree}
    order by n.notification_no for update`.execute(trx);
  return rows.map((row) => row.notification_no);
}
