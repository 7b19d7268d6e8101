import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { AfterAttempt } from './notification-state.ts';

/** A notification whose attempt ended. */
interface AttemptedRow {
  readonly notification_no: number;
  readonly account_no: number;
  readonly alert_no: number | null;
  readonly order_key: string;
  readonly attempts: number;
  readonly first_attempt_us: number;
}

/** The attempts of a notification, without a lock: only the worker with its lease changes them. */
export async function readAttempts(trx: Kysely<Tables>, no: number) {
  const { rows } = await sql<{ attempts: number; first_attempt_us: number | null }>`
    select attempts, first_attempt_us from notifications where notification_no = ${no}`.execute(trx);
  return rows[0];
}

/** Locks the alerts of a message, so that no decision runs before the alert has the contacts that get it next. */
export async function lockAlertsOf(trx: Kysely<Tables>, no: number): Promise<void> {
  await sql`
    select from alerts where alert_no = any(array(
      select alert_no from notifications where notification_no = ${no} or leader_no = ${no})) order by alert_no for update`.execute(
    trx,
  );
}

/**
 * The notification and those that are merged into it, while its lease has this token; empty when the lease has another
 * one.
 */
export async function leasedRows(
  trx: Kysely<Tables>,
  no: number,
  token: string,
): Promise<readonly AttemptedRow[]> {
  const { rows } = await sql<AttemptedRow>`
    select n.notification_no, n.account_no, n.alert_no, n.order_key, n.attempts, n.first_attempt_us
    from notifications l join notifications n on n.notification_no = l.notification_no or n.leader_no = l.notification_no
    where l.notification_no = ${no} and l.lease_token = ${token} and l.state = 'Pending'
    order by n.notification_no <> ${no}, n.notification_no for update of n`.execute(trx);
  return rows;
}

/** Stores the state after an attempt, and ends the lease. */
export async function storeAfter(
  trx: Kysely<Tables>,
  no: number,
  {
    after,
    answer,
    nowUs,
    notBeforeUs,
    isUncertain,
  }: {
    readonly after: AfterAttempt;
    readonly answer: string;
    readonly nowUs: number;
    /** The receiver requested no attempt before this time; null: it did not. */
    readonly notBeforeUs: number | null;
    /** The receiver may have accepted the message. */
    readonly isUncertain: boolean;
  },
): Promise<void> {
  const dueUs = after.state === 'Pending' ? after.dueUs : null;
  await sql`
    update notifications set state = ${after.state}, answer = ${answer}, tries = ${withAttempt(nowUs, answer)}, due_us = coalesce(${dueUs}::bigint, due_us),
      ended_us = case when ${dueUs}::bigint is null then ${nowUs}::bigint end,
      message = case when ${dueUs}::bigint is null then null else message end,
      not_before_us = ${notBeforeUs}::bigint, maybe_sent = maybe_sent or ${isUncertain}, lease_token = null, lease_until_us = null
    where notification_no = ${no} or leader_no = ${no}`.execute(trx);
}

/** Stores the receiver's id of a message, for the replies to it. */
export async function storeReceived(
  trx: Kysely<Tables>,
  no: number,
  messageId: string,
  contactUs: number,
): Promise<void> {
  await sql`
    update notifications set receiver_message = ${messageId}, receiver_contact_us = ${contactUs}
    where notification_no = ${no} or leader_no = ${no}`.execute(trx);
}

/** Removes these notifications from a merged message: they wait for attempts of their own. */
export async function detach(trx: Kysely<Tables>, nos: readonly number[], dueUs: number): Promise<void> {
  await sql`
    update notifications set leader_no = null, message = null, lease_token = null, lease_until_us = null, due_us = ${dueUs}
    where notification_no = any(${nos}::bigint[])`.execute(trx);
}

const maxStoredAttempts = 20;

/** The stored attempts with this one appended; the oldest are dropped. */
function withAttempt(nowUs: number, answer: string) {
  return sql`(case when jsonb_typeof(tries) <> 'array' then '[]' when jsonb_array_length(tries) >= ${sql.lit(maxStoredAttempts)} then tries - 0 else tries end)
    || jsonb_build_array(jsonb_build_object('AtUs', ${nowUs}::bigint, 'Answer', ${answer}::text))`;
}
