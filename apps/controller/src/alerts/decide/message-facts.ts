import {
  type AlertKind,
  type AlertMessage,
  downUsOf,
  type Flapping,
  type MessageFacts,
  type PastOutage,
} from '@vantage/alerts';
import { secondUs } from '@vantage/domain';
import type { AlertContact } from './alert-contact-store.ts';
import type { DueAlert } from './due-store.ts';
import { readFacts } from './stored-alert-facts.ts';
import type { SubjectRow } from './subject-store.ts';
import type { AlertSurroundings } from './surroundings.ts';

/** Inputs of the messages of an alert. */
export interface MessageContext {
  readonly alert: DueAlert;
  readonly kind: AlertKind;
  readonly subject: SubjectRow | undefined;
  readonly sinceUs: number;
  /** The name of the Location of the failure, or of the one that the alert is about. */
  readonly locationName: string | null;
  readonly reason: string | null;
  /** After the decision; null: the device does not flap. */
  readonly flapping: Flapping | null;
  /** Outages of the alert before the present one, of whose end no contact was notified. */
  readonly past: readonly PastOutage[];
  readonly contacts: ReadonlyMap<string, AlertContact>;
  readonly surroundings: AlertSurroundings;
  readonly nowUs: number;
}

/** The facts of a message by their names in webhooks, without secrets: the URL is the masked one. */
export function messageData(about: AlertMessage['about'], context: MessageContext): MessageFacts {
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
function threadData({ alert, sinceUs }: MessageContext): MessageFacts {
  const { CheckResult } = readFacts(alert.opening);
  return {
    AlertKind: alert.kind,
    Began: sinceUs,
    ...(typeof CheckResult === 'string' ? { Cause: CheckResult } : {}),
  };
}

/** The end of an outage: when it ended, when it began, and its length. */
function endData(event: MessageFacts, { sinceUs, nowUs, past }: MessageContext): MessageFacts {
  const upUs = endOf(event, nowUs);
  const downUs = downUsOf(past) + Math.max(0, upUs - sinceUs);
  return {
    Since: upUs,
    DownSince: past[0]?.sinceUs ?? sinceUs,
    Seconds: Math.floor(downUs / secondUs),
    ...(past.length === 0 ? {} : { Outages: past.length + 1 }),
  };
}

/** The total of the outages of a flapping; `Since` is the start of the first one until the flapping has ended. */
function flappingData({ sinceUs, outages, downUs, downSinceUs }: Flapping, isEnd: boolean): MessageFacts {
  return {
    ...(isEnd ? { DownSince: sinceUs } : { Since: sinceUs }),
    ...(downSinceUs === null ? {} : { DownSince: downSinceUs }),
    Outages: outages,
    Seconds: Math.floor(downUs / secondUs),
  };
}

const upKinds: ReadonlySet<string> = new Set([
  'device.partial',
  'device.slow',
  'certificate.expiring',
  'interface.down',
]);

/** Whether the alert is about a device that is Up. */
export function isOfUpDevice(kind: string): boolean {
  return upKinds.has(kind);
}

function endOf({ At }: MessageFacts, nowUs: number): number {
  return typeof At === 'number' ? At : nowUs;
}

function deviceData({ device_id }: DueAlert, subject: SubjectRow | undefined): MessageFacts {
  return {
    device_id,
    ShortName: subject?.shortName ?? null,
    FullName: subject?.fullName ?? null,
    Method: subject?.method ?? null,
    URL: subject?.url ?? null,
    Master: subject?.masterId == null ? null : { device_id: subject.masterId, ShortName: subject.masterName },
  };
}
