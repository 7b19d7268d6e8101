import {
  type AlertEvent,
  type AlertKind,
  type AlertMessage,
  endKindOf,
  type MessageKind,
  type NewNotification,
} from '@vantage/alerts';
import type { EventCause } from '@vantage/health';
import type { DueAlert } from './due-store.ts';
import { isOfUpDevice, type MessageContext, messageData } from './message-facts.ts';
import { acceptedBy } from './message-receivers.ts';
import { readFacts, readKind, readSeverity } from './stored-alert-facts.ts';

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

/** The event of a decision. Pure. */
export function eventCause(event: AlertEvent, { alert, kind }: MessageContext): EventCause {
  const subject = {
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
    return { kind: 'alert-suppressed', ...subject, reason: event.reason, detail: event.detail };
  const { CheckResult } = readFacts(alert.opening);
  const result = typeof CheckResult === 'string' ? [CheckResult] : [];
  const text = [...result, ...(event.note === null ? [] : [event.note])].join('; ');
  return { kind: 'alert', ...subject, text: text === '' ? (readKind(alert.kind) ?? '') : text };
}
