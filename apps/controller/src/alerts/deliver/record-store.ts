import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../platform/db/index.ts';
import type { AfterAttempt, NotificationState } from './notification-state.ts';

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

/** Locks the alerts of a message, so that no decision notifies by a state that does not know yet who else gets it. */
export async function lockAlertsOf(trx: Kysely<Tables>, no: number): Promise<void> {
  await sql`
    select from alerts where alert_no = any(array(
      select alert_no from notifications where notification_no = ${no} or leader_no = ${no})) order by alert_no for update`.execute(
    trx,
  );
}

/** Locks the contact, waiting for another worker. */
export async function lockHealth(trx: Kysely<Tables>, contactNo: number) {
  const { rows } = await sql<{
    account_no: number;
    failures: number;
    failing_since_us: number | null;
    failed_us: number | null;
    accepted_us: number | null;
  }>`
    select account_no, failures, failing_since_us, failed_us, accepted_us from contact_health
    where contact_no = ${contactNo} for update`.execute(trx);
  return rows[0];
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
    wishedUs,
    isUncertain,
  }: {
    readonly after: AfterAttempt;
    readonly answer: string;
    readonly nowUs: number;
    /** The receiver asked for no attempt before; null: it did not. */
    readonly wishedUs: number | null;
    /** The receiver may have accepted the message. */
    readonly isUncertain: boolean;
  },
): Promise<void> {
  const dueUs = after.state === 'Pending' ? after.dueUs : null;
  await sql`
    update notifications set state = ${after.state}, answer = ${answer}, tries = ${withAttempt(nowUs, answer)}, due_us = coalesce(${dueUs}::bigint, due_us),
      ended_us = case when ${dueUs}::bigint is null then ${nowUs}::bigint end,
      message = case when ${dueUs}::bigint is null then null else message end,
      not_before_us = ${wishedUs}::bigint, maybe_sent = maybe_sent or ${isUncertain}, lease_token = null, lease_until_us = null
    where notification_no = ${no} or leader_no = ${no}`.execute(trx);
}

/** Stores how the receiver names a message, for the replies to it. */
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

/** Marks the first one of each of these keys due, which waited for an earlier one that ended. */
export async function releaseFollowers(
  trx: Kysely<Tables>,
  ask: { readonly contactNo: number; readonly orderKeys: readonly string[]; readonly nowUs: number },
): Promise<void> {
  const { contactNo, orderKeys, nowUs } = ask;
  await sql`
    update notifications set due_us = ${nowUs}
    where notification_no = any(array(
        select (
          select n.notification_no from notifications n
          where n.contact_no = ${contactNo} and n.order_key = k.key and n.state = 'Pending'
          order by n.notification_no limit 1)
        from unnest(${orderKeys}::text[]) k (key)))
      and leader_no is null and attempts = 0 and due_us > ${nowUs}`.execute(trx);
}

/**
 * Releases the attempted notifications of a contact that can be reached again: they are due now, or as soon as its
 * receiver permits. Those that failed before `firstFailedUs` stay: they were refused, released and refused again
 * while the contact accepted others, so it refuses them in particular.
 */
export async function releaseAttempted(
  trx: Kysely<Tables>,
  contactNo: number,
  nowUs: number,
  firstFailedUs = 0,
): Promise<void> {
  await sql`
    update notifications set due_us = greatest(${nowUs}, coalesce(not_before_us, 0))
    where contact_no = ${contactNo} and state = 'Pending' and leader_no is null and attempts > 0 and due_us > ${nowUs}
      and first_attempt_us > ${firstFailedUs}::bigint`.execute(trx);
}

/** Parts a merged message: these notifications wait for attempts of their own. */
export async function detach(trx: Kysely<Tables>, nos: readonly number[], dueUs: number): Promise<void> {
  await sql`
    update notifications set leader_no = null, message = null, lease_token = null, lease_until_us = null, due_us = ${dueUs}
    where notification_no = any(${nos}::bigint[])`.execute(trx);
}

/** When the contact `c` was edited last. */
export const updatedUs = sql<number>`(extract(epoch from c.updated_at) * 1e6)::bigint`;

/** Failing contacts that were edited since their latest claim. */
export async function editedContacts(db: Kysely<Tables>): Promise<readonly number[]> {
  const { rows } = await sql<{ contact_no: number }>`
    select h.contact_no from contact_health h join contacts c using (contact_no)
    where h.failing_since_us is not null and h.contact_seen_us < ${updatedUs} order by h.contact_no`.execute(
    db,
  );
  return rows.map((row) => row.contact_no);
}

/** Releases what waits for a contact that was edited; its next claim uses the contact as it is then. */
export async function releaseEdited(trx: Kysely<Tables>, contactNo: number, nowUs: number): Promise<void> {
  await sql`
    update contact_health h set contact_seen_us = ${updatedUs} from contacts c
    where h.contact_no = ${contactNo} and c.contact_no = h.contact_no`.execute(trx);
  await releaseAttempted(trx, contactNo, nowUs);
}

/** Stores whether the contact can be reached. */
export async function storeHealth(
  trx: Kysely<Tables>,
  contactNo: number,
  health: {
    readonly failures: number;
    readonly failingSinceUs: number | null;
    readonly failedUs: number | null;
    readonly answer: string | null;
    /** The contact accepted a message now; absent: it did not. */
    readonly acceptedUs?: number;
  },
): Promise<void> {
  await trx
    .updateTable('contact_health')
    .set({
      failures: health.failures,
      failing_since_us: health.failingSinceUs,
      failed_us: health.failedUs,
      last_answer: health.answer,
      ...(health.acceptedUs === undefined ? {} : { accepted_us: health.acceptedUs }),
    })
    .where('contact_no', '=', contactNo)
    .execute();
}

/** An attempt to deliver a message, microseconds since 1970, and what its receiver said. */
export interface ShownAttempt {
  readonly atUs: number;
  readonly answer: string;
}

/** A message to a contact. */
export interface DeliveryRow {
  readonly notification_no: number;
  readonly notification_id: string;
  readonly alert_id: string | null;
  readonly device_id: string | null;
  readonly short_name: string | null;
  readonly kind: string;
  readonly severity: string;
  readonly at_us: number;
  readonly ended_us: number | null;
  readonly state: NotificationState;
  /** The message that this one was merged into. */
  readonly leader_id: string | null;
  readonly attempts: readonly ShownAttempt[];
}

const stored = z.array(z.object({ AtUs: z.number(), Answer: z.string() })).catch([]);
const mostTries = 20;

/** The row `n` with this attempt behind its earlier ones; the oldest leave. */
function withAttempt(nowUs: number, answer: string) {
  return sql`(case when jsonb_typeof(tries) <> 'array' then '[]' when jsonb_array_length(tries) >= ${sql.lit(mostTries)} then tries - 0 else tries end)
    || jsonb_build_array(jsonb_build_object('AtUs', ${nowUs}::bigint, 'Answer', ${answer}::text))`;
}

/** The attempts of a stored notification. An earlier version stored only how many there were and the last answer. */
export function attemptsOf(row: {
  readonly tries: unknown;
  readonly attempts: number;
  readonly first_attempt_us: number | null;
  readonly ended_us: number | null;
  readonly answer: string | null;
}): readonly ShownAttempt[] {
  const known = stored.parse(row.tries).map(({ AtUs, Answer }) => ({ atUs: AtUs, answer: Answer }));
  const atUs = row.ended_us ?? row.first_attempt_us;
  if (known.length > 0 || row.attempts === 0 || row.answer === null || atUs === null) return known;
  return [{ atUs, answer: row.answer }];
}

/** Messages to a contact, the newest first, one more than `limit` to know whether there are more. */
export async function listDeliveries(
  db: Kysely<Tables>,
  page: {
    readonly contactNo: number;
    /** The message with this id only. */
    readonly deliveryId?: string | undefined;
    readonly beforeNo?: number | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<readonly DeliveryRow[]> {
  const { contactNo, deliveryId, beforeNo, limit, offset } = page;
  const { rows } = await sql<Omit<DeliveryRow, 'attempts'> & Parameters<typeof attemptsOf>[0]>`
    select n.notification_no, n.notification_id, a.alert_id, a.device_id, d.short_name, n.kind, n.severity, n.at_us, n.ended_us, n.state,
      n.tries, n.attempts, n.first_attempt_us, n.answer,
      (select l.notification_id from notifications l where l.notification_no = n.leader_no) as leader_id
    from notifications n left join alerts a using (alert_no) left join devices d on d.device_no = a.device_no
    where n.contact_no = ${contactNo}::int ${deliveryId === undefined ? sql`` : sql`and n.notification_id = ${deliveryId}`}
      ${beforeNo === undefined ? sql`` : sql`and n.notification_no < ${beforeNo}::bigint`}
    order by n.notification_no desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows.map((row) => ({ ...row, attempts: attemptsOf(row) }));
}

/** The number of the account's contact with this id. */
export async function findContactNo(
  db: Kysely<Tables>,
  accountNo: number,
  contactId: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('contacts')
    .select('contact_no')
    .where('contact_id', '=', contactId)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row?.contact_no;
}
