import {
  type AlertKind,
  decideForward,
  endKindOf,
  joinSchedules,
  type MessageStanding,
  momentKinds,
  type NewNotification,
} from '@vantage/alerts';
import { parseSteps } from '@vantage/alerts/stored-steps';
import type { Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { RecordEvents } from '../../results/events/record-events.ts';
import type { Enqueue } from '../deliver/enqueue.ts';
import type { FailedNotification } from '../deliver/record-attempt.ts';
import type { AlertContact } from './alert-contact-store.ts';
import { notificationsFor } from './alert-messages.ts';
import { schedulesOf } from './alert-schedule-store.ts';
import { type DueAlert, isFollowed, lockAlert } from './due-store.ts';
import {
  type AlertOfFailure,
  addNotified,
  failedMessages,
  failureOf,
  receiversOf,
  setReason,
} from './failed-message-store.ts';
import { acceptedBy } from './message-receivers.ts';
import { readAlertState, readFacts, readKind, readSeverity } from './stored-alert-facts.ts';
import { locationsOf, subjectsOf } from './subject-store.ts';
import { noSurroundings } from './surroundings.ts';

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
    const text = isReached ? reason : `${reason}; no other contact is left to notify`;
    await deps.recordEvents(trx, [eventOf(failure, { accountNo, reason: text })], nowUs);
    if (isReached || failed.alertNo === null) return;
    await setReason(
      trx,
      failed.alertNo,
      `No contact could be notified: contact ${failure.contactName}, ${reason}`,
    );
    const fields = { alertNo: failed.alertNo, contactNo, kind: failure.kind, reason };
    deps.log.error(fields, 'an alert cannot be delivered to any contact');
  };
}

/** Sends the messages to other contacts. False: for one message no contact is left. */
async function forward(
  trx: Kysely<Tables>,
  { alertNo, notificationNos, reason, nowUs, accountNo }: FailedNotification,
  failure: AlertOfFailure,
  { enqueue, log }: FailedDeps,
): Promise<boolean> {
  if (alertNo === null) return true;
  const alert = await lockAlert(trx, alertNo);
  const ending = alert === undefined ? null : await endingOf(trx, alert);
  const stored = (await schedulesOf(trx, [alertNo])).get(alertNo);
  const schedules = (stored ?? []).map((schedule) => ({
    timezone: schedule.timezone,
    steps: stepsOf(schedule, log),
  }));
  const contacts = await contactsOfAccount(trx, accountNo);
  const notified: string[] = [];
  let isReached = true;
  for (const message of await failedMessages(trx, notificationNos)) {
    const kind = readKind(message.kind);
    if (kind === undefined) continue;
    const alertFacts = { account_no: accountNo, kind: failure.kind, opening: failure.opening };
    const accepting = acceptedBy({ alert: alertFacts, contacts }, [...contacts.keys()], kind);
    const severity = readSeverity(message.severity);
    const facts = readFacts(message.data);
    const isBegin = (kind === failure.kind && facts['Recovered'] !== true) || kind === 'device.flapping';
    const decision = decideForward({
      schedule: joinSchedules(schedules, severity),
      severity,
      refusedBy: failure.contactId,
      standing: standingOf(ending, isBegin),
      ...(await receiversOf(trx, alertNo, message, isBegin ? laterKinds(kind) : [kind])),
      accepting: new Set(accepting.map(({ contactId }) => contactId)),
    });
    if (decision.kind === 'undeliverable') isReached = false;
    if (decision.kind !== 'forward') continue;
    const before = Array.isArray(facts['Undelivered']) ? facts['Undelivered'] : [];
    const data = {
      ...facts,
      Undelivered: [...before, { Contact: failure.contactName, Reason: reason }],
    };
    const { order_key: orderKey, at_us: atUs } = message;
    const sent = decision.contactIds.flatMap((contactId): NewNotification[] => {
      const contactNo = contacts.get(contactId)?.contactNo;
      return contactNo === undefined
        ? []
        : [{ accountNo, contactNo, alertNo, orderKey, kind, severity, data, atUs }];
    });
    if (isBegin) notified.push(...decision.contactIds);
    const ends =
      decision.withEnd && alert !== undefined
        ? await endsFor(trx, alert, { contactIds: decision.contactIds, contacts })
        : [];
    // Before the next of these messages, which looks for the contacts that have them.
    await enqueue(trx, [...sent, ...ends], nowUs);
  }
  await addNotified(trx, alertNo, notified);
  return isReached;
}

/** The way in which an alert closed. `followed`: a later alert about the same is open. */
type AlertEnding = 'ended' | 'closed' | 'followed';

async function endingOf(trx: Kysely<Tables>, alert: DueAlert): Promise<AlertEnding | null> {
  if (alert.closed_us === null || momentKinds.has(alert.kind)) return null;
  if (await isFollowed(trx, alert.alert_no)) return 'followed';
  return readAlertState(alert.state, alert.closed_us).phase === 'ended' ? 'ended' : 'closed';
}

function standingOf(ending: AlertEnding | null, isBegin: boolean): MessageStanding {
  if (ending === 'followed') return 'over';
  if (ending === null || !isBegin) return 'current';
  return ending === 'closed' ? 'over' : 'ended';
}

/** A contact with a later message of one of these kinds needs no message of this kind. */
function laterKinds(kind: AlertKind): readonly string[] {
  const opens = kind === 'device.flapping' ? 'device.down' : kind;
  const end = endKindOf(opens);
  const flapping = opens === 'device.down' ? ['device.flapping'] : [];
  return [opens, ...flapping, ...(end === undefined ? [] : [end])];
}

/** The last message of an ended alert, as its decision composed it for other contacts. */
async function endsFor(
  trx: Kysely<Tables>,
  alert: DueAlert,
  to: { readonly contactIds: readonly string[]; readonly contacts: ReadonlyMap<string, AlertContact> },
): Promise<readonly NewNotification[]> {
  const kind = readKind(alert.kind);
  if (kind === undefined || alert.closed_us === null) return [];
  const { contactIds, contacts } = to;
  const nowUs = alert.closed_us;
  const subjects = await subjectsOf(trx, [alert], nowUs);
  const locations = await locationsOf(trx, alert.location_no === null ? [] : [alert.location_no]);
  const { flapping, past } = readAlertState(alert.state, nowUs);
  const message = { about: 'end', contactIds } as const;
  return notificationsFor(message, {
    alert,
    kind,
    subject: subjects.get(alert.alert_no),
    sinceUs: alert.since_us,
    locationName: alert.location_no === null ? null : (locations.get(alert.location_no)?.name ?? null),
    reason: null,
    flapping,
    past,
    contacts,
    surroundings: noSurroundings,
    nowUs,
  });
}

/** A schedule that cannot be read has no steps. */
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

async function contactsOfAccount(
  trx: Kysely<Tables>,
  accountNo: number,
): Promise<ReadonlyMap<string, AlertContact>> {
  const rows = await trx
    .selectFrom('contacts')
    .select(['contact_no', 'contact_id', 'account_no', 'type', 'notify'])
    .where('account_no', '=', accountNo)
    .execute();
  return new Map(
    rows.map((row) => [
      row.contact_id,
      {
        contactNo: row.contact_no,
        contactId: row.contact_id,
        accountNo: row.account_no,
        type: row.type,
        notify: row.notify,
      },
    ]),
  );
}
