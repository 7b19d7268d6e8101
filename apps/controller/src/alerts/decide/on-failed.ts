import {
  type AlertKind,
  decideForward,
  endKindOf,
  joinSchedules,
  type MessageStanding,
  momentKinds,
  type NewNotification,
} from '@vantage/alerts';
import type { Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { parseSteps } from '../../platform/db/stored-steps.ts';
import type { RecordEvents } from '../../status/events/record-events.ts';
import { readAlertState, readFacts, readKind, readSeverity } from './alert-facts.ts';
import type { Enqueue } from './decide-due.ts';
import {
  type ContactRow,
  type DueAlert,
  isFollowed,
  locationsOf,
  lockAlert,
  schedulesOf,
  subjectsOf,
} from './due-store.ts';
import { acceptedBy, notificationsFor } from './messages.ts';
import { noSurroundings } from './surroundings.ts';

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
  const alert = await lockAlert(trx, alertNo);
  const over = alert === undefined ? null : await overOf(trx, alert);
  const stored = (await schedulesOf(trx, [alertNo])).get(alertNo);
  const schedules = (stored ?? []).map((one) => ({ timezone: one.timezone, steps: stepsOf(one, log) }));
  const contacts = await contactsOfAccount(trx, accountNo);
  const notified: string[] = [];
  let isReached = true;
  for (const message of await failedMessages(trx, notificationNos)) {
    const kind = readKind(message.kind);
    if (kind === undefined) continue;
    const about = { account_no: accountNo, kind: failure.kind, opening: failure.opening };
    const accepting = acceptedBy({ alert: about, contacts }, [...contacts.keys()], kind);
    const severity = readSeverity(message.severity);
    const facts = readFacts(message.data);
    const isBegin = (kind === failure.kind && facts['Recovered'] !== true) || kind === 'device.flapping';
    const decision = decideForward({
      schedule: joinSchedules(schedules, severity),
      severity,
      refusedBy: failure.contactId,
      standing: standingOf(over, isBegin),
      ...(await receiversOf(trx, alertNo, message, isBegin ? laterKinds(kind) : [kind])),
      accepting: new Set(accepting.map(({ contactId }) => contactId)),
    });
    if (decision.kind === 'nobody') isReached = false;
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
    // At once, so that the next of these messages finds who has them.
    await enqueue(trx, [...sent, ...ends], nowUs);
  }
  await addNotified(trx, alertNo, notified);
  return isReached;
}

/** The way in which an alert closed. `followed`: a later alert about the same is open. */
type AlertOver = 'ended' | 'closed' | 'followed';

async function overOf(trx: Kysely<Tables>, alert: DueAlert): Promise<AlertOver | null> {
  if (alert.closed_us === null || momentKinds.has(alert.kind)) return null;
  if (await isFollowed(trx, alert.alert_no)) return 'followed';
  return readAlertState(alert.state, alert.closed_us).phase === 'ended' ? 'ended' : 'closed';
}

function standingOf(over: AlertOver | null, isBegin: boolean): MessageStanding {
  if (over === 'followed') return 'over';
  if (over === null || !isBegin) return 'current';
  return over === 'closed' ? 'over' : 'ended';
}

/** Whoever has a later message of one of these kinds knows as much as a message of this kind says, or more. */
function laterKinds(kind: AlertKind): readonly string[] {
  const opens = kind === 'device.flapping' ? 'device.down' : kind;
  const end = endKindOf(opens);
  const flapping = opens === 'device.down' ? ['device.flapping'] : [];
  return [opens, ...flapping, ...(end === undefined ? [] : [end])];
}

/** The last message of an alert that ended, as its decision composed it for others. */
async function endsFor(
  trx: Kysely<Tables>,
  alert: DueAlert,
  to: { readonly contactIds: readonly string[]; readonly contacts: ReadonlyMap<string, ContactRow> },
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

/** The alert and the contact of a notification that failed. */
interface AlertOfFailure {
  readonly deviceNo: number | null;
  readonly locationNo: number | null;
  readonly kind: string;
  readonly opening: unknown;
  readonly contactId: string;
  readonly contactName: string;
}

/** The subject of a failed notification. A deleted device or contact is not named. */
async function failureOf(
  trx: Kysely<Tables>,
  { alertNo, contactNo }: { readonly alertNo: number | null; readonly contactNo: number },
): Promise<AlertOfFailure> {
  const { rows } = await sql<AlertOfFailure>`
    select d.device_no as "deviceNo", a.location_no as "locationNo", coalesce(a.kind, 'test') as kind, a.opening,
      coalesce(c.contact_id, '') as "contactId", coalesce(c.name, 'deleted') as "contactName"
    from (select 1) one left join alerts a on a.alert_no = ${alertNo}::bigint
      left join devices d on d.device_no = a.device_no left join contacts c on c.contact_no = ${contactNo}::int`.execute(
    trx,
  );
  const [row] = rows;
  return (
    row ?? {
      deviceNo: null,
      locationNo: null,
      kind: 'test',
      opening: null,
      contactId: '',
      contactName: 'deleted',
    }
  );
}

/** A message that could not be delivered. */
interface FailedMessage {
  readonly notification_no: number;
  readonly order_key: string;
  readonly kind: string;
  readonly severity: string;
  readonly data: unknown;
  readonly at_us: number;
}

/** These notifications, oldest first. */
async function failedMessages(
  trx: Kysely<Tables>,
  notificationNos: readonly number[],
): Promise<readonly FailedMessage[]> {
  const { rows } = await sql<FailedMessage>`
    select notification_no, order_key, kind, severity, data, at_us from notifications
    where notification_no = any(${notificationNos}::bigint[]) order by notification_no`.execute(trx);
  return rows;
}

/**
 * Who has this message of the alert or a later one of `kinds`, and who refused one of its own kind. A contact in shadow
 * was not notified.
 */
async function receiversOf(
  trx: Kysely<Tables>,
  alertNo: number,
  { kind, at_us: atUs }: FailedMessage,
  kinds: readonly string[],
): Promise<{ readonly having: ReadonlySet<string>; readonly refusing: ReadonlySet<string> }> {
  const { rows } = await sql<{ contact_id: string; kind: string; state: string }>`
    select c.contact_id, n.kind, n.state from notifications n join contacts c using (contact_no)
    where n.alert_no = ${alertNo} and n.kind = any(${[...kinds]}::text[]) and n.at_us >= ${atUs}`.execute(
    trx,
  );
  const idsOf = (some: typeof rows, ...states: string[]) =>
    new Set(some.filter(({ state }) => states.includes(state)).map((row) => row.contact_id));
  return {
    having: idsOf(rows, 'Pending', 'Delivered'),
    refusing: idsOf(
      rows.filter((row) => row.kind === kind),
      'Failed',
      'Shadow',
    ),
  };
}

/** Also these contacts get the message of the alert's end. Call it while the alert is locked. */
async function addNotified(
  trx: Kysely<Tables>,
  alertNo: number,
  contactIds: readonly string[],
): Promise<void> {
  if (contactIds.length === 0) return;
  await sql`
    update alerts set state = jsonb_set(state, '{notified}', (
      select coalesce(jsonb_agg(distinct g.id), '[]') from (
        select jsonb_array_elements_text(state -> 'notified') union select unnest(${contactIds}::text[])) g (id)))
    where alert_no = ${alertNo} and closed_us is null`.execute(trx);
}

/** Why the alert is as it is, for people. */
async function setReason(trx: Kysely<Tables>, alertNo: number, reason: string): Promise<void> {
  await trx.updateTable('alerts').set({ reason }).where('alert_no', '=', alertNo).execute();
}

/** All contacts of the account by their contact_id. */
async function contactsOfAccount(
  trx: Kysely<Tables>,
  accountNo: number,
): Promise<ReadonlyMap<string, ContactRow>> {
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
