import {
  type AlertEvent,
  type AlertKind,
  type AlertMessage,
  contactTypeOf,
  contactTypes,
  type Facts,
  type MessageKind,
  type NewNotification,
} from '@vantage/alerts';
import type { EventCause } from '@vantage/health';
import { readFacts, readKind, readSeverity } from './alert-row.ts';
import type { DueAlert } from './due-store.ts';
import type { ContactRow, SubjectRow } from './facts-store.ts';

/** What the messages of an alert are made of. */
export interface MessageContext {
  readonly alert: DueAlert;
  readonly kind: AlertKind;
  readonly subject: SubjectRow | undefined;
  readonly sinceUs: number;
  /** Of the Location of the failure, or that the alert is about. */
  readonly locationName: string | null;
  readonly reason: string | null;
  readonly contacts: ReadonlyMap<string, ContactRow>;
  readonly nowUs: number;
}

/** The kind of the last message of an alert. Kinds that are not here have none. */
const endKinds: Partial<Record<AlertKind, AlertKind>> = {
  'device.down': 'device.up',
  'device.partial': 'device.up',
  'device.slow': 'device.up',
  'location.offline': 'location.online',
  'anchor.down': 'anchor.up',
  // The fact Recovered tells the two apart.
  'contact.failing': 'contact.failing',
};

const flappingReason =
  'The device went Down and Up three times within 30 minutes. The next message follows when its status has not changed for 30 minutes.';

/** The kind of a message; undefined: the alert has no such message. */
export function messageKind(kind: AlertKind, about: AlertMessage['about']): MessageKind | undefined {
  if (about === 'acknowledged') return 'acknowledged';
  return about === 'opening' ? kind : endKinds[kind];
}

/** Those of the contacts that exist, belong to the account and want messages of this kind. */
export function acceptedBy(
  {
    alert,
    contacts,
  }: Pick<MessageContext, 'contacts'> & { readonly alert: Pick<DueAlert, 'account_no' | 'kind' | 'opening'> },
  contactIds: readonly string[],
  kind: MessageKind,
): readonly ContactRow[] {
  return contactIds.flatMap((id) => {
    const contact = contacts.get(id);
    if (contact === undefined || contact.accountNo !== alert.account_no) return [];
    if (isAbout(contact, alert)) return [];
    if (kind === 'acknowledged') return keepsIncidents(contact) ? [contact] : [];
    return contact.notify === null || contact.notify.includes(kind) ? [contact] : [];
  });
}

/** Nobody is notified through a contact that this contact fails. */
function isAbout({ contactId }: ContactRow, { kind, opening }: Pick<DueAlert, 'kind' | 'opening'>): boolean {
  return kind === 'contact.failing' && readFacts(opening)['contact_id'] === contactId;
}

function keepsIncidents({ type }: ContactRow): boolean {
  const known = contactTypeOf(type);
  return known !== undefined && contactTypes[known].keepsIncidents;
}

/** One row for each contact that gets the message. Pure. */
export function notificationsFor(message: AlertMessage, context: MessageContext): NewNotification[] {
  const { alert, nowUs } = context;
  const kind = messageKind(context.kind, message.about);
  if (kind === undefined) return [];
  const data = messageData(message.about, context);
  return acceptedBy(context, message.contactIds, kind).map(({ contactNo }) => ({
    ...{ accountNo: alert.account_no, contactNo, alertNo: alert.alert_no, orderKey: orderKeyOf(alert), kind },
    ...{ severity: readSeverity(alert.severity), data, atUs: nowUs },
  }));
}

function orderKeyOf({ device_no, location_no, account_no }: DueAlert): string {
  if (device_no !== null) return `device:${device_no}`;
  return location_no === null ? `account:${account_no}` : `location:${location_no}`;
}

/** The facts of a message by their names in webhooks, without secrets: the URL is the masked one. */
function messageData(about: AlertMessage['about'], context: MessageContext): Facts {
  const { alert, subject, sinceUs, locationName, reason, nowUs } = context;
  const isEnd = about === 'end' || about === 'flapping';
  const event = { ...readFacts(isEnd ? alert.ending : alert.opening) };
  const status = isEnd ? 'Up' : alert.device_no === null ? 'Unknown' : 'Down';
  return {
    alert_id: alert.alert_id,
    ...(alert.device_no === null ? {} : deviceData(alert, subject)),
    ...{ Status: isOfUpDevice(alert.kind) ? 'Up' : status, Since: sinceUs, Location: locationName },
    ...{ CheckResult: null, check_id: null },
    ...event,
    ...(isEnd ? { Seconds: Math.floor((endOf(event, nowUs) - sinceUs) / 1_000_000) } : {}),
    ...(about === 'acknowledged' ? { By: alert.acknowledged_by, Note: alert.acknowledged_note } : {}),
    Severity: alert.severity,
    Reason: about === 'flapping' ? flappingReason : reason,
  };
}

/** The alert is about a device that is Up all the same. */
function isOfUpDevice(kind: string): boolean {
  return kind === 'device.partial' || kind === 'device.slow' || kind === 'certificate.expiring';
}

function endOf({ At }: Facts, nowUs: number): number {
  return typeof At === 'number' ? At : nowUs;
}

function deviceData({ device_id }: DueAlert, subject: SubjectRow | undefined): Facts {
  return {
    device_id,
    ...{ ShortName: subject?.shortName ?? null, FullName: subject?.fullName ?? null },
    ...{ Method: subject?.method ?? null, URL: subject?.url ?? null },
    Master: subject?.masterId == null ? null : { device_id: subject.masterId, ShortName: subject.masterName },
  };
}

/** The event of a decision. Pure. */
export function eventCause(event: AlertEvent, { alert, kind }: MessageContext): EventCause {
  const about = {
    ...{ accountNo: alert.account_no, deviceNo: alert.device_no, alertKind: kind },
    // A device's event names the Location by the check that caused it.
    locationNo: alert.device_no === null ? alert.location_no : null,
    status: isOfUpDevice(kind)
      ? ('Up' as const)
      : alert.device_no === null
        ? ('Unknown' as const)
        : ('Down' as const),
  };
  if (event.kind === 'suppressed')
    return { kind: 'alert-suppressed', ...about, reason: event.reason, detail: event.detail };
  const { CheckResult } = readFacts(alert.opening);
  const result = typeof CheckResult === 'string' ? [CheckResult] : [];
  const text = [...result, ...(event.note === null ? [] : [event.note])].join('; ');
  return { kind: 'alert', ...about, text: text === '' ? (readKind(alert.kind) ?? '') : text };
}
