import type { Transaction } from 'kysely';
import type { Tables } from '../db/index.ts';
import { afterAttempt, type Outcome, type RetryTimes } from './notification-state.ts';
import {
  leasedRows,
  lockAlertsOf,
  lockHealth,
  readAttempts,
  releaseAttempted,
  releaseFollowers,
  storeAfter,
  storeHealth,
} from './record-store.ts';

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

/** What the step alerts does in the transaction of a failure. */
export type OnFailed = (trx: Transaction<Tables>, failed: FailedNotification) => Promise<void>;

/** What the record of an attempt changed. */
export interface Recorded {
  /** False: the lease ended before, and another worker has the notification. Nothing was recorded. */
  readonly isRecorded: boolean;
  readonly state: 'Delivered' | 'Failed' | 'Pending' | null;
  /** The contact could be reached before and cannot now, or the other way round. */
  readonly change: 'failing' | 'well' | null;
}

/** After so many failed attempts in a row, a good one makes all attempted notifications of the contact due. */
const failuresOfAnOutage = 3;

/**
 * Records the answer of an attempt, if the lease still has the attempt's token. A notification that ends makes the next one of its key
 * due. A contact that can be reached again gets everything that it missed without a wait.
 */
export async function record(
  trx: Transaction<Tables>,
  attempt: {
    readonly no: number;
    readonly contactNo: number;
    readonly token: string;
    readonly outcome: Outcome;
    readonly nowUs: number;
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
  await storeAfter(trx, no, { after, answer: outcome.text, nowUs });
  if (after.state !== 'Pending') {
    const orderKeys = [...new Set(rows.map((row) => row.order_key))];
    await releaseFollowers(trx, { contactNo, orderKeys, nowUs });
  }
  if (outcome.kind === 'interrupted') return { isRecorded: true, state: after.state, change: null };
  if (outcome.kind === 'delivered') {
    await storeHealth(trx, contactNo, { failures: 0, failingSinceUs: null, failedUs: null, answer: null });
    if (health.failures >= failuresOfAnOutage) await releaseAttempted(trx, contactNo, nowUs);
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
    await reportFailed(trx, rows, failed, onFailed);
  }
  return { isRecorded: true, state: after.state, change: health.failures === 0 ? 'failing' : null };
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
