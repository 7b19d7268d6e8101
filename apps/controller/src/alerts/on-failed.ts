import { newAlertState } from '@vantage/alerts';
import { dayUs } from '@vantage/domain';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import { readKind } from './alert-row.ts';
import type { Enqueue } from './decide-due.ts';
import {
  type AlertOfFailure,
  closedMoment,
  failureOf,
  hasRecentFailure,
  otherContacts,
} from './failure-store.ts';
import type { RecordEvents } from './on-events.ts';

/** A notification that failed for good. */
interface FailedNotification {
  readonly accountNo: number;
  readonly alertNo: number | null;
  readonly contactNo: number;
  /** What the contact's server answered last, without secrets. */
  readonly reason: string;
  readonly nowUs: number;
}

/** The other contacts are notified of a failing contact at most this often. */
const silenceUs = dayUs;

/**
 * Makes the function that records a notification which cannot be delivered, in the transaction of its last attempt. The account's other
 * contacts are notified once a day, so that two failing contacts do not report each other again and again.
 */
export function createOnFailed({
  recordEvents,
  enqueue,
}: {
  readonly recordEvents: RecordEvents;
  readonly enqueue: Enqueue;
}): (trx: Kysely<Tables>, failed: FailedNotification) => Promise<void> {
  return async (trx, { accountNo, alertNo, contactNo, reason, nowUs }) => {
    const failure = await failureOf(trx, { alertNo, contactNo });
    await recordEvents(trx, [eventOf(failure, { accountNo, reason })], nowUs);
    if (await hasRecentFailure(trx, { accountNo, contactId: failure.contactId, sinceUs: nowUs - silenceUs }))
      return;
    const data = { Contact: failure.contactName, contact_id: failure.contactId, CheckResult: reason };
    const state = { ...newAlertState('ended', nowUs), activeUs: nowUs };
    const made = await closedMoment(trx, {
      accountNo,
      kind: 'contact.failing',
      state,
      opening: data,
      reason,
      nowUs,
    });
    const others = await otherContacts(trx, { accountNo, contactNo, kind: 'contact.failing' });
    await enqueue(
      trx,
      others.map((other) => ({
        ...{ accountNo, contactNo: other, alertNo: made.alertNo, orderKey: `account:${accountNo}` },
        ...{ kind: 'contact.failing', severity: 'critical', atUs: nowUs },
        data: { alert_id: made.alertId, ...data, Since: nowUs, Severity: 'critical', Reason: reason },
      })),
      nowUs,
    );
  };
}

function eventOf(
  { deviceNo, locationNo, kind, contactName }: AlertOfFailure,
  { accountNo, reason }: { readonly accountNo: number; readonly reason: string },
) {
  return {
    kind: 'alert-failed' as const,
    ...{ accountNo, deviceNo, locationNo: deviceNo === null ? locationNo : null, contactName, reason },
    ...{ alertKind: readKind(kind) ?? kind, status: 'Unknown' as const },
  };
}
