import {
  type AlertEvent,
  type AlertKind,
  type AlertMessage,
  contactTypeOf,
  contactTypes,
  downUsOf,
  endKindOf,
  type Facts,
  type Flapping,
  type MessageKind,
  type NewNotification,
  type PastOutage,
} from '@vantage/alerts';
import { secondUs } from '@vantage/domain';
import type { EventCause } from '@vantage/health';
import { readFacts, readKind, readSeverity } from './alert-facts.ts';
import type { ContactRow, DueAlert, SubjectRow } from './due-store.ts';
import type { Surroundings } from './surroundings.ts';

/** Inputs of the messages of an alert. */
export interface MessageContext {
  readonly alert: DueAlert;
  readonly kind: AlertKind;
  readonly subject: SubjectRow | undefined;
  readonly sinceUs: number;
  /** Of the Location of the failure, or that the alert is about. */
  readonly locationName: string | null;
  readonly reason: string | null;
  /** After the decision; null: the device does not flap. */
  readonly flapping: Flapping | null;
  /** Outages of the alert before the present one, of whose end nobody heard. */
  readonly past: readonly PastOutage[];
  readonly contacts: ReadonlyMap<string, ContactRow>;
  readonly surroundings: Surroundings;
  readonly nowUs: number;
}

/** The kind of a message; undefined: the alert has no such message. */
export function messageKind(kind: AlertKind, about: AlertMessage['about']): MessageKind | undefined {
  switch (about) {
    case 'acknowledged':
    case 'closed':
      return about;
    case 'flapping':
      return 'device.flapping';
    case 'opening':
      return kind;
    case 'end':
      return endKindOf(kind);
  }
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
    const type = contactTypeOf(contact.type);
    if (kind === 'acknowledged') return hearsAcknowledgements(contact, type) ? [contact] : [];
    if (kind === 'closed') return type !== undefined && contactTypes[type].waitsForEnd ? [contact] : [];
    return wants(contact, kind) ? [contact] : [];
  });
}

/** Systems that keep incidents always; chats where `Notify` does not leave it out. */
function hearsAcknowledgements({ notify }: ContactRow, type: ReturnType<typeof contactTypeOf>): boolean {
  if (type === undefined) return false;
  const { keepsIncidents, isChat } = contactTypes[type];
  return keepsIncidents || (isChat && (notify === null || notify.includes('acknowledged')));
}

/** Nobody is notified through a contact that this contact fails. */
function isAbout({ contactId }: ContactRow, { kind, opening }: Pick<DueAlert, 'kind' | 'opening'>): boolean {
  return kind === 'contact.failing' && readFacts(opening)['contact_id'] === contactId;
}

/**
 * Who wants to know that a device is Down wants to know that it flaps: a flapping takes the place of the messages Down
 * and Up.
 */
function wants({ notify }: ContactRow, kind: AlertKind): boolean {
  if (notify === null || notify.includes(kind)) return true;
  return kind === 'device.flapping' && notify.includes('device.down');
}

/** One row for each contact that gets the message. Pure. */
export function notificationsFor(message: AlertMessage, context: MessageContext): NewNotification[] {
  const { alert, nowUs, surroundings } = context;
  const kind = messageKind(context.kind, message.about);
  if (kind === undefined) return [];
  const data = messageData(message.about, context);
  const isBegin = message.about === 'opening' || message.about === 'flapping';
  return acceptedBy(context, message.contactIds, kind).map(({ contactId, contactNo }) => {
    const before = isBegin ? (surroundings.sent.get(contactNo) ?? 0) : 0;
    return {
      accountNo: alert.account_no,
      contactNo,
      alertNo: alert.alert_no,
      orderKey: orderKeyOf(alert),
      kind,
      severity: readSeverity(alert.severity),
      step: message.stepOf?.get(contactId) ?? null,
      atUs: nowUs,
      data: before === 0 ? data : { ...data, Number: before + 1 },
    };
  });
}

/** Messages of a contact with the same key are delivered one after the other. */
export function orderKeyOf({
  device_no,
  location_no,
  account_no,
}: Pick<DueAlert, 'device_no' | 'location_no' | 'account_no'>): string {
  if (device_no !== null) return `device:${device_no}`;
  return location_no === null ? `account:${account_no}` : `location:${location_no}`;
}

/** The facts of a message by their names in webhooks, without secrets: the URL is the masked one. */
function messageData(about: AlertMessage['about'], context: MessageContext): Facts {
  const { alert, subject, sinceUs, locationName, reason, flapping } = context;
  const isEnd = about === 'end';
  const isUp = isEnd || (about === 'flapping' && flapping?.downSinceUs === null);
  const event = { ...readFacts(isUp ? alert.ending : alert.opening) };
  const status = isUp ? 'Up' : alert.device_no === null ? 'Unknown' : 'Down';
  return {
    alert_id: alert.alert_id,
    ...(alert.device_no === null ? {} : deviceData(alert, subject)),
    Status: isOfUpDevice(alert.kind) ? 'Up' : status,
    Since: sinceUs,
    Location: locationName,
    CheckResult: null,
    check_id: null,
    ...event,
    ...(isEnd ? endData(event, context) : {}),
    ...(flapping === null ? {} : flappingData(flapping, isEnd)),
    ...(about === 'acknowledged' ? { By: alert.acknowledged_by, Note: alert.acknowledged_note } : {}),
    ...(isUp ? {} : context.surroundings.facts),
    ...(about === 'acknowledged' || alert.acknowledged_by === null
      ? {}
      : { AcknowledgedBy: alert.acknowledged_by }),
    Severity: alert.severity,
    Reason: reason === event['CheckResult'] ? null : reason,
    ...threadData(context),
  };
}

/** All messages of an alert have these in common, also the one of its end. */
function threadData({ alert, sinceUs }: MessageContext): Facts {
  const { CheckResult } = readFacts(alert.opening);
  return {
    AlertKind: alert.kind,
    Began: sinceUs,
    ...(typeof CheckResult === 'string' ? { Cause: CheckResult } : {}),
  };
}

/** The end of an outage: when it was over, when it began, and how long it took. */
function endData(event: Facts, { sinceUs, nowUs, past }: MessageContext): Facts {
  const upUs = endOf(event, nowUs);
  const downUs = downUsOf(past) + Math.max(0, upUs - sinceUs);
  return {
    Since: upUs,
    DownSince: past[0]?.sinceUs ?? sinceUs,
    Seconds: Math.floor(downUs / secondUs),
    ...(past.length === 0 ? {} : { Outages: past.length + 1 }),
  };
}

/** The total of the outages of a flapping; `Since` is the begin of the first one until the flapping is over. */
function flappingData({ sinceUs, outages, downUs, downSinceUs }: Flapping, isEnd: boolean): Facts {
  return {
    ...(isEnd ? { DownSince: sinceUs } : { Since: sinceUs }),
    ...(downSinceUs === null ? {} : { DownSince: downSinceUs }),
    Outages: outages,
    Seconds: Math.floor(downUs / secondUs),
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
    ShortName: subject?.shortName ?? null,
    FullName: subject?.fullName ?? null,
    Method: subject?.method ?? null,
    URL: subject?.url ?? null,
    Master: subject?.masterId == null ? null : { device_id: subject.masterId, ShortName: subject.masterName },
  };
}

/** The event of a decision. Pure. */
export function eventCause(event: AlertEvent, { alert, kind }: MessageContext): EventCause {
  const about = {
    accountNo: alert.account_no,
    deviceNo: alert.device_no,
    alertKind: kind,
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
