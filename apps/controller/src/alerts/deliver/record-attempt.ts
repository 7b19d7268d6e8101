import type { Tables } from '@vantage/storage';
import type { Transaction } from 'kysely';
import {
  detach,
  leasedRows,
  lockAlertsOf,
  readAttempts,
  storeAfter,
  storeReceived,
} from './attempt-store.ts';
import { lockHealth, storeHealth } from './contact-health.ts';
import { type AttemptOutcome, afterAttempt, type RetryTimes } from './notification-state.ts';
import { releaseAttempted, releaseFollowers } from './release-notifications.ts';

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

/** The changes that the record of an attempt made. */
export interface Recorded {
  /** False: the lease ended before, and another worker has the notification. Nothing was recorded. */
  readonly isRecorded: boolean;
  readonly state: 'Delivered' | 'Failed' | 'Pending' | null;
  /** Whether the contact became unreachable, or reachable again. */
  readonly change: 'failing' | 'well' | null;
}

/**
 * Records the answer of an attempt, if the lease still has the attempt's token. A notification that ends makes the next
 * one of its key due. A contact that can be reached again gets its waiting messages at once.
 */
export async function record(
  trx: Transaction<Tables>,
  attempt: {
    readonly no: number;
    readonly contactNo: number;
    readonly token: string;
    readonly outcome: AttemptOutcome;
    readonly nowUs: number;
    /** The contact as the attempt used it. */
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
  await detach(trx, numbersOf(young), nowUs + times.maxWaitUs);
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

/** A member that was merged later than its leader has a time limit of its own. */
function isPending(
  row: { readonly attempts: number; readonly first_attempt_us: number },
  outcome: AttemptOutcome,
  times: RetryTimes,
  nowUs: number,
): boolean {
  const attempt = { attempts: row.attempts, firstAttemptUs: row.first_attempt_us, nowUs };
  return afterAttempt(attempt, outcome, times).state === 'Pending';
}

function numbersOf(rows: readonly { readonly notification_no: number }[]): readonly number[] {
  return rows.map((row) => row.notification_no);
}

function certaintyOf(outcome: AttemptOutcome, { maxWaitUs }: RetryTimes, nowUs: number) {
  if (outcome.kind !== 'again') return { notBeforeUs: null, isUncertain: outcome.kind === 'interrupted' };
  const { retryAfterMs, isUncertain = false } = outcome;
  const notBeforeUs =
    retryAfterMs === undefined ? null : nowUs + Math.min(maxWaitUs, Math.round(retryAfterMs * 1000));
  return { notBeforeUs, isUncertain };
}

/** Whether the notification fails for good with this outcome. */
async function isLast(
  trx: Transaction<Tables>,
  { no, outcome, nowUs }: { readonly no: number; readonly outcome: AttemptOutcome; readonly nowUs: number },
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
  for (const [alertNo, ofAlert] of Map.groupBy(rows, (row) => row.alert_no)) {
    const notificationNos = ofAlert.map((row) => row.notification_no);
    await onFailed(trx, { ...failed, alertNo, notificationNos });
  }
}
