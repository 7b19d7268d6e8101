import { decideForward, joinSchedules, type NewNotification } from '@vantage/alerts';
import type { Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { parseSteps } from '../../platform/db/stored-steps.ts';
import type { RecordEvents } from '../../status/events/index.ts';
import { readFacts, readKind, readSeverity } from './alert-row.ts';
import type { Enqueue } from './decide-due.ts';
import { schedulesOf } from './facts-store.ts';
import {
  type AlertOfFailure,
  addNotified,
  contactsOfAccount,
  failedMessages,
  failureOf,
  receiversOf,
  setReason,
} from './failure-store.ts';
import { acceptedBy } from './messages.ts';

/** Notifications of one alert that failed for good. */
interface FailedNotification {
  readonly accountNo: number;
  readonly alertNo: number | null;
  readonly contactNo: number;
  readonly notificationNos: readonly number[];
  /** The answer of the contact's server to the last attempt, without secrets. */
  readonly reason: string;
  readonly nowUs: number;
}

interface FailedDeps {
  readonly log: Logger;
  readonly recordEvents: RecordEvents;
  readonly enqueue: Enqueue;
}

/**
 * Creates the handler of notifications that cannot be delivered. It runs in the transaction of their last attempt:
 * each goes to other contacts of its schedule (`decideForward`), or its alert, an event and the log name it as
 * undeliverable.
 */
export function createOnFailed(
  deps: FailedDeps,
): (trx: Kysely<Tables>, failed: FailedNotification) => Promise<void> {
  return async (trx, failed) => {
    const { accountNo, contactNo, reason, nowUs } = failed;
    const failure = await failureOf(trx, failed);
    const isReached = await forward(trx, failed, failure, deps);
    const text = isReached ? reason : `${reason}; nobody else is left to notify`;
    await deps.recordEvents(trx, [eventOf(failure, { accountNo, reason: text })], nowUs);
    if (isReached || failed.alertNo === null) return;
    await setReason(
      trx,
      failed.alertNo,
      `Nobody could be notified: contact ${failure.contactName}, ${reason}`,
    );
    const about = { alertNo: failed.alertNo, contactNo, kind: failure.kind, reason };
    deps.log.error(about, 'an alert cannot be delivered to anybody');
  };
}

/** Sends the messages to others. False: nobody is left for one of them. */
async function forward(
  trx: Kysely<Tables>,
  { alertNo, notificationNos, reason, nowUs, accountNo }: FailedNotification,
  failure: AlertOfFailure,
  { enqueue, log }: FailedDeps,
): Promise<boolean> {
  if (alertNo === null) return true;
  const stored = (await schedulesOf(trx, [alertNo])).get(alertNo);
  const schedules = (stored ?? []).map((one) => ({ timezone: one.timezone, steps: stepsOf(one, log) }));
  const contacts = await contactsOfAccount(trx, accountNo);
  const sent: NewNotification[] = [];
  const notified: string[] = [];
  let isReached = true;
  for (const message of await failedMessages(trx, notificationNos)) {
    const kind = readKind(message.kind);
    if (kind === undefined) continue;
    const alert = { account_no: accountNo, kind: failure.kind, opening: failure.opening };
    const accepting = acceptedBy({ alert, contacts }, [...contacts.keys()], kind);
    const receivers = await receiversOf(trx, alertNo, message);
    const severity = readSeverity(message.severity);
    const decision = decideForward({
      schedule: joinSchedules(schedules, severity),
      severity,
      refusedBy: failure.contactId,
      ...receivers,
      accepting: new Set(accepting.map(({ contactId }) => contactId)),
    });
    if (decision.kind === 'nobody') isReached = false;
    if (decision.kind !== 'forward') continue;
    const facts = readFacts(message.data);
    const before = Array.isArray(facts['Undelivered']) ? facts['Undelivered'] : [];
    const data = {
      ...facts,
      Undelivered: [...before, { Contact: failure.contactName, Reason: reason }],
    };
    for (const contactId of decision.contactIds) {
      const contactNo = contacts.get(contactId)?.contactNo;
      if (contactNo === undefined) continue;
      if (message.kind === failure.kind || message.kind === 'device.flapping') notified.push(contactId);
      const { order_key: orderKey, at_us: atUs } = message;
      sent.push({
        accountNo,
        contactNo,
        alertNo,
        orderKey,
        kind,
        severity,
        data,
        atUs,
      });
    }
  }
  await enqueue(trx, sent, nowUs);
  await addNotified(trx, alertNo, notified);
  return isReached;
}

/** A schedule that cannot be read names nobody. */
function stepsOf({ steps }: { readonly steps: unknown }, log: Logger) {
  try {
    return parseSteps(steps);
  } catch {
    log.error('a notification schedule cannot be read');
    return [];
  }
}

function eventOf(
  { deviceNo, locationNo, kind, contactName }: AlertOfFailure,
  { accountNo, reason }: { readonly accountNo: number; readonly reason: string },
) {
  return {
    kind: 'alert-failed' as const,
    accountNo,
    deviceNo,
    locationNo: deviceNo === null ? locationNo : null,
    contactName,
    reason,
    alertKind: readKind(kind) ?? kind,
    status: 'Unknown' as const,
  };
}
