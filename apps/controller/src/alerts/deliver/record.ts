import { type Kysely, sql, type Transaction } from 'kysely';
import { publish, type Tables } from '../../platform/db/index.ts';
import { type AfterAttempt, afterAttempt, type Outcome, type RetryTimes } from './notification-state.ts';

/** A notification that failed for good. Alerts record it, and notify the other contacts of the account. */
export interface FailedNotification {
  readonly accountNo: number;
  readonly alertNo: number | null;
  readonly contactNo: number;
  /** The notifications of this alert, oldest first. */
  readonly notificationNos: readonly number[];
  readonly reason: string;
  readonly nowUs: number;
}

/** Called in the transaction of a failure, by the step alerts. */
export type OnFailed = (trx: Transaction<Tables>, failed: FailedNotification) => Promise<void>;

/** The changes by the record of an attempt. */
export interface Recorded {
  /** False: the lease ended before, and another worker has the notification. Nothing was recorded. */
  readonly isRecorded: boolean;
  readonly state: 'Delivered' | 'Failed' | 'Pending' | null;
  /** The contact could be reached before and cannot now, or the other way round. */
  readonly change: 'failing' | 'well' | null;
}

/**
 * Records the answer of an attempt, if the lease still has the attempt's token. A notification that ends makes the next
 * one of its key due. A contact that can be reached again gets everything that it missed without a wait.
 */
export async function record(
  trx: Transaction<Tables>,
  attempt: {
    readonly no: number;
    readonly contactNo: number;
    readonly token: string;
    readonly outcome: Outcome;
    readonly nowUs: number;
    /** As it was used. */
    readonly contact: { readonly updated_us: number };
  },
  { times, onFailed }: { readonly times: RetryTimes; readonly onFailed: OnFailed },
): Promise<Recorded> {
  const { no, contactNo, token, outcome, nowUs } = attempt;
  // Decisions lock alerts before contacts, too.
  if (await isLast(trx, attempt, times)) await lockAlertsOf(trx, no);
  const health = await lockHealth(trx, contactNo);
  const rows = await leasedRows(trx, no, token);
  const [leader] = rows;
  if (health === undefined || leader === undefined) return { isRecorded: false, state: null, change: null };
  const { attempts, first_attempt_us: firstAttemptUs } = leader;
  const after = afterAttempt({ attempts, firstAttemptUs, nowUs }, outcome, times);
  const young = rows.filter((row) => after.state === 'Failed' && isPending(row, outcome, times, nowUs));
  await detach(trx, numbersOf(young), nowUs + times.longestUs);
  await storeAfter(trx, no, { after, answer: outcome.text, nowUs, ...certaintyOf(outcome, times, nowUs) });
  if (outcome.kind === 'delivered' && outcome.messageId !== undefined)
    await storeReceived(trx, no, outcome.messageId, attempt.contact.updated_us);
  const ended = rows.filter((row) => !young.includes(row));
  if (after.state !== 'Pending') {
    const orderKeys = [...new Set(ended.map((row) => row.order_key))];
    await releaseFollowers(trx, { contactNo, orderKeys, nowUs });
  }
  if (outcome.kind === 'interrupted') return { isRecorded: true, state: after.state, change: null };
  if (outcome.kind === 'delivered') {
    const well = { failures: 0, failingSinceUs: null, failedUs: null, answer: null };
    await storeHealth(trx, contactNo, { ...well, acceptedUs: nowUs });
    if (health.failures > 0) await releaseAttempted(trx, contactNo, nowUs, health.accepted_us ?? 0);
    return { isRecorded: true, state: after.state, change: health.failures > 0 ? 'well' : null };
  }
  await storeHealth(trx, contactNo, {
    failures: health.failures + 1,
    failingSinceUs: health.failing_since_us ?? nowUs,
    failedUs: after.state === 'Failed' ? (health.failed_us ?? nowUs) : health.failed_us,
    answer: outcome.text,
  });
  if (after.state === 'Failed') {
    const failed = { accountNo: leader.account_no, contactNo, reason: after.reason, nowUs };
    await reportFailed(trx, ended, failed, onFailed);
  }
  return { isRecorded: true, state: after.state, change: health.failures === 0 ? 'failing' : null };
}

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
async function readAttempts(trx: Kysely<Tables>, no: number) {
  const { rows } = await sql<{ attempts: number; first_attempt_us: number | null }>`
    select attempts, first_attempt_us from notifications where notification_no = ${no}`.execute(trx);
  return rows[0];
}

/** Locks the alerts of a message, so that no decision notifies by a state that does not know yet who else gets it. */
async function lockAlertsOf(trx: Kysely<Tables>, no: number): Promise<void> {
  await sql`
    select from alerts where alert_no = any(array(
      select alert_no from notifications where notification_no = ${no} or leader_no = ${no})) order by alert_no for update`.execute(
    trx,
  );
}

/** Locks the contact, waiting for another worker. */
async function lockHealth(trx: Kysely<Tables>, contactNo: number) {
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
async function leasedRows(trx: Kysely<Tables>, no: number, token: string): Promise<readonly AttemptedRow[]> {
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
async function storeReceived(
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
async function releaseAttempted(
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
async function detach(trx: Kysely<Tables>, nos: readonly number[], dueUs: number): Promise<void> {
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
async function storeHealth(
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

const mostTries = 20;

/** The row `n` with this attempt behind its earlier ones; the oldest leave. */
function withAttempt(nowUs: number, answer: string) {
  return sql`(case when jsonb_typeof(tries) <> 'array' then '[]' when jsonb_array_length(tries) >= ${sql.lit(mostTries)} then tries - 0 else tries end)
    || jsonb_build_array(jsonb_build_object('AtUs', ${nowUs}::bigint, 'Answer', ${answer}::text))`;
}

/** A part of a summary that was merged later than its leader has hours of its own. */
function isPending(
  row: { readonly attempts: number; readonly first_attempt_us: number },
  outcome: Outcome,
  times: RetryTimes,
  nowUs: number,
): boolean {
  const attempt = { attempts: row.attempts, firstAttemptUs: row.first_attempt_us, nowUs };
  return afterAttempt(attempt, outcome, times).state === 'Pending';
}

function numbersOf(rows: readonly { readonly notification_no: number }[]): readonly number[] {
  return rows.map((row) => row.notification_no);
}

function certaintyOf(outcome: Outcome, { longestUs }: RetryTimes, nowUs: number) {
  if (outcome.kind !== 'again') return { wishedUs: null, isUncertain: outcome.kind === 'interrupted' };
  const { retryAfterMs, isUncertain = false } = outcome;
  const wishedUs =
    retryAfterMs === undefined ? null : nowUs + Math.min(longestUs, Math.round(retryAfterMs * 1000));
  return { wishedUs, isUncertain };
}

/** The contact accepted a message beside those that wait: they leave at once. */
export async function recordReached(
  trx: Transaction<Tables>,
  contactNo: number,
  nowUs: number,
): Promise<void> {
  const health = await lockHealth(trx, contactNo);
  if (health === undefined || health.failures === 0) return;
  await storeHealth(trx, contactNo, { failures: 0, failingSinceUs: null, failedUs: null, answer: null });
  await releaseAttempted(trx, contactNo, nowUs);
  await publish(trx, 'notifications', { contact_nos: [contactNo] });
}

/** Whether the notification fails for good with this outcome. */
async function isLast(
  trx: Transaction<Tables>,
  { no, outcome, nowUs }: { readonly no: number; readonly outcome: Outcome; readonly nowUs: number },
  times: RetryTimes,
): Promise<boolean> {
  if (outcome.kind === 'delivered' || outcome.kind === 'interrupted') return false;
  const row = await readAttempts(trx, no);
  if (row === undefined) return false;
  const attempt = { attempts: row.attempts, firstAttemptUs: row.first_attempt_us ?? nowUs, nowUs };
  return afterAttempt(attempt, outcome, times).state === 'Failed';
}

/** One report for each alert whose notification failed for good. */
export async function reportFailed(
  trx: Transaction<Tables>,
  rows: readonly { readonly alert_no: number | null; readonly notification_no: number }[],
  failed: Omit<FailedNotification, 'alertNo' | 'notificationNos'>,
  onFailed: OnFailed,
): Promise<void> {
  for (const [alertNo, of] of Map.groupBy(rows, (row) => row.alert_no)) {
    const notificationNos = of.map((row) => row.notification_no);
    await onFailed(trx, { ...failed, alertNo, notificationNos });
  }
}
