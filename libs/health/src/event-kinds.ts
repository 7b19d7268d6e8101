import { type BaseStatus, checkId, type DeviceStatus, minuteUs } from '@vantage/domain';
import {
  anchorEnds,
  causedBy,
  certificateText,
  checkText,
  type EventKind,
  type OfAlert,
  type OfCheck,
  type OfDevice,
  type OfLocation,
  secondsSince,
  warningRow,
} from './event-kind.ts';
import type { Point } from './observation.ts';
import type { FoldEvent } from './step.ts';

/** The good checks of a device became slow, or fast again. */
interface OfSpeed extends OfCheck {
  /** How long the check took, milliseconds. */
  readonly requestMs: number;
}

/** An anchor of a Location does not answer its agents, or answers again. */
interface OfAnchor extends OfLocation {
  readonly anchorName: string;
  /** Its address, or address and port: what distinguishes the anchors of a Location. */
  readonly target: string;
  /** Since when it does not answer. */
  readonly sinceUs: number;
}

interface OfAgent extends OfLocation {
  readonly agentName: string;
}

/** Why the controller decided not to notify people. */
export type SuppressionReason = 'master' | 'maintenance' | 'schedule' | 'late' | 'flapping';

/** THE table of events, one row for each kind. Times are microseconds since 1970. */
const eventKinds = {
  /** A user created a device. */
  'device-created': causedBy<OfDevice & { readonly deviceName: string }>()({
    types: ['Created'],
    changesAlerts: false,
    row: () => ({ type: 'Created', status: 'Unknown' }),
    text: ({ deviceName }) => `${deviceName} was created`,
  }),
  /** A user deleted a device. The event outlives it, so it keeps the device's names, and the tags that it had. */
  'device-deleted': causedBy<
    OfDevice & {
      readonly deviceId: string;
      readonly deviceName: string;
      readonly fullName: string | null;
      readonly tagNos: number[];
    }
  >()({
    types: ['Deleted'],
    changesAlerts: false,
    row: ({ deviceNo, deviceId, deviceName, fullName, tagNos }) => ({
      type: 'Deleted',
      status: 'Unknown',
      device_no: null,
      gone_no: deviceNo,
      gone_id: deviceId,
      gone_short_name: deviceName,
      gone_full_name: fullName,
      gone_tag_nos: tagNos,
    }),
    text: ({ deviceName }) => `${deviceName} was deleted`,
  }),
  /** A user changed the settings of a device. `fields`: REST names of the changed settings. */
  'device-changed': causedBy<
    OfDevice & {
      readonly deviceName: string;
      readonly status: DeviceStatus;
      readonly fields: readonly string[];
    }
  >()({
    types: ['Changed'],
    changesAlerts: true,
    row: ({ status }) => ({ type: 'Changed', status }),
    text: ({ deviceName, fields }) => `${deviceName} was changed: ${fields.join(', ')}`,
  }),
  /** A check changed the state of a device. */
  check: causedBy<
    OfDevice & {
      readonly event: FoldEvent;
      /** Names of the Locations in `event.failing`, in the same order. */
      readonly failingNames: readonly string[];
      /** Seconds that users saw the status that ended; null where no status ended. */
      readonly endedS: number | null;
      /** The controller records the event later than the rules for late results allow. */
      readonly isLate: boolean;
    }
  >()({
    types: ['Error', 'Recovered', 'Partial', 'Down', 'Up', 'Unknown'],
    changesAlerts: true,
    row: ({ deviceNo, event, endedS, isLate }) => ({
      type: event.type,
      status: event.status,
      at_us: event.atUs,
      location_no: event.locationNo,
      check_result: event.text,
      check_id: checkId({ deviceNo, ...event.cause }),
      duration_s: endedS,
      late: isLate,
    }),
    text: ({ event, failingNames }) => checkText(event, failingNames),
  }),
  /** Late results ended in another status than the last recorded event says. */
  correction: causedBy<
    OfDevice & {
      readonly status: BaseStatus;
      /** The check that changed the state last; null before the first one. */
      readonly check: Point | null;
      readonly isLate: boolean;
    }
  >()({
    types: ['Up', 'Down', 'Unknown'],
    changesAlerts: true,
    row: ({ deviceNo, check, status, isLate }) => ({
      type: status,
      status,
      check_id: check === null ? null : checkId({ deviceNo, ...check }),
      late: isLate,
    }),
    text: ({ status }) => `Status corrected to ${status} by late results`,
  }),
  /** A user paused a device, and its status ended after `endedS` seconds. */
  'device-paused': causedBy<OfDevice & { readonly deviceName: string; readonly endedS: number }>()({
    types: ['Unknown'],
    changesAlerts: true,
    row: ({ endedS }) => ({ type: 'Unknown', status: 'Unknown', duration_s: endedS }),
    text: ({ deviceName }) => `${deviceName} was paused`,
  }),
  /** A user started maintenance or gave a running window a new end, or a window that was planned began at `atUs`. */
  'maintenance-start': causedBy<
    OfDevice & {
      readonly by: 'user' | 'schedule' | 'time';
      readonly atUs: number;
      /** The user's words; null: none. */
      readonly reason: string | null;
      readonly isExtension: boolean;
      readonly durationUs: number;
      /** Seconds of the status before the maintenance; null for a device that was in maintenance already. */
      readonly endedS: number | null;
    }
  >()({
    types: ['MaintStart'],
    changesAlerts: false,
    row: ({ atUs, endedS }) => ({ type: 'MaintStart', status: 'Maint', at_us: atUs, duration_s: endedS }),
    text: ({ by, isExtension, durationUs, reason }) => {
      const planned = by === 'schedule' ? 'Scheduled maintenance' : 'Maintenance';
      const minutes = Math.round(durationUs / minuteUs);
      return `${planned}${isExtension ? ' goes on' : ''} for ${minutes} min${reason === null ? '' : `: ${reason}`}`;
    },
  }),
  /** Maintenance ended after `endedS` seconds: a user stopped it, or its window ran out at `atUs`. */
  'maintenance-end': causedBy<
    OfDevice & {
      readonly by: 'user' | 'time';
      /** The status that users see after the maintenance. */
      readonly status: DeviceStatus;
      readonly atUs: number;
      readonly endedS: number;
    }
  >()({
    types: ['MaintEnd'],
    changesAlerts: true,
    row: ({ status, atUs, endedS }) => ({ type: 'MaintEnd', status, at_us: atUs, duration_s: endedS }),
    text: ({ by }) => (by === 'user' ? 'Maintenance stopped' : 'Maintenance ended'),
  }),
  'device-slow': causedBy<OfSpeed>()({
    types: ['Slow'],
    changesAlerts: true,
    row: (cause) => ({ type: 'Slow', ...warningRow(cause) }),
    text: ({ requestMs }) => `Slow: several checks in a row took long, the last one ${requestMs} ms`,
  }),
  'device-fast': causedBy<OfSpeed>()({
    types: ['Fast'],
    changesAlerts: true,
    row: (cause) => ({ type: 'Fast', ...warningRow(cause) }),
    text: ({ requestMs }) => `Not slow any more: the last check took ${requestMs} ms`,
  }),
  /** A check found a certificate that expires soon, at `notAfterUs`. */
  'certificate-expiring': causedBy<OfCheck & { readonly notAfterUs: number }>()({
    types: ['CertificateExpiring'],
    changesAlerts: true,
    row: (cause) => ({ type: 'CertificateExpiring', ...warningRow(cause) }),
    text: (cause) => `The certificate ${certificateText(cause)}`,
  }),
  /** The controller decided to notify people. `text`: the happening, for people; the CheckResult of an outage. */
  alert: causedBy<OfAlert & { readonly text: string }>()({
    types: ['Alert'],
    changesAlerts: false,
    row: ({ status }) => ({ type: 'Alert', status }),
    text: ({ alertKind, text }) => `Alert ${alertKind}: ${text}`,
  }),
  /**
   * A notification of an alert cannot be delivered to a contact. `reason`: the last answer of the contact's server,
   * without secrets.
   */
  'alert-failed': causedBy<OfAlert & { readonly contactName: string; readonly reason: string }>()({
    types: ['AlertFailed'],
    changesAlerts: false,
    row: ({ status }) => ({ type: 'AlertFailed', status }),
    text: ({ contactName, alertKind, reason }) =>
      `Contact ${contactName} was not notified of ${alertKind}: ${reason}`,
  }),
  /** The controller decided not to notify people. `detail`: a sentence for people: which master, until when. */
  'alert-suppressed': causedBy<OfAlert & { readonly reason: SuppressionReason; readonly detail: string }>()({
    types: ['AlertSuppressed'],
    changesAlerts: false,
    row: ({ status }) => ({ type: 'AlertSuppressed', status }),
    text: ({ detail }) => `No alert, because ${detail}`,
  }),
  /** No agent of a Location runs its checks any more; `sinceUs` is the end of the last coverage. */
  'location-offline': causedBy<
    OfLocation & {
      readonly sinceUs: number;
      /** Reason that a connected agent reported; null where no agent is connected. */
      readonly reason: string | null;
      /** Number of devices that no Location checks now. */
      readonly devices: number;
    }
  >()({
    types: ['LocationOffline'],
    changesAlerts: true,
    row: ({ sinceUs }) => ({ type: 'LocationOffline', status: 'Unknown', at_us: sinceUs }),
    text: ({ locationName, reason, devices }) => {
      const why = reason === null ? '' : ` (${reason})`;
      const count = `${devices} ${devices === 1 ? 'device' : 'devices'}`;
      return `Location ${locationName} is offline${why}, ${count} not checked`;
    },
  }),
  /** An agent of an offline Location is connected and runs its checks again. */
  'location-online': causedBy<OfLocation & { readonly offlineSinceUs: number }>()({
    types: ['LocationOnline'],
    changesAlerts: true,
    row: ({ offlineSinceUs }, nowUs) => ({
      type: 'LocationOnline',
      status: 'Up',
      duration_s: secondsSince(offlineSinceUs, nowUs),
    }),
    text: ({ locationName }) => `Location ${locationName} is online again`,
  }),
  /** `reason`: the agent's last check of the anchor, in words. */
  'anchor-down': causedBy<OfAnchor & { readonly reason: string }>()({
    types: ['AnchorDown'],
    changesAlerts: true,
    row: ({ sinceUs }) => ({ type: 'AnchorDown', status: 'Unknown', at_us: sinceUs }),
    text: ({ anchorName, target, locationName, reason }) =>
      `Anchor ${anchorName} (${target}) of Location ${locationName} does not answer, errors of devices behind it are inconclusive: ${reason}`,
  }),
  'anchor-up': causedBy<OfAnchor & { readonly because: keyof typeof anchorEnds }>()({
    types: ['AnchorUp'],
    changesAlerts: true,
    row: ({ sinceUs }, nowUs) => ({
      type: 'AnchorUp',
      status: 'Up',
      duration_s: secondsSince(sinceUs, nowUs),
    }),
    text: ({ anchorName, target, locationName, because }) =>
      `Anchor ${anchorName} (${target}) of Location ${locationName} ${anchorEnds[because]}`,
  }),
  /** Two hosts used the identity of one agent, therefore the controller fenced the agent. */
  'agent-fenced': causedBy<OfAgent & { readonly hostNames: readonly string[] }>()({
    types: ['AgentFenced'],
    changesAlerts: true,
    row: () => ({ type: 'AgentFenced', status: 'Unknown' }),
    text: ({ agentName, locationName, hostNames }) =>
      `Agent ${agentName} of Location ${locationName} is fenced, its identity is used twice (hosts: ${hostNames.join(' and ')})`,
  }),
  /** A user or the operator revoked an agent: it may not connect any more. */
  'agent-revoked': causedBy<OfAgent>()({
    types: ['AgentRevoked'],
    changesAlerts: false,
    row: () => ({ type: 'AgentRevoked', status: 'Unknown' }),
    text: ({ agentName, locationName }) => `Agent ${agentName} of Location ${locationName} was revoked`,
  }),
  /** An agent runs the version that was asked for, or came back to its version before, because of `fault`. */
  'agent-upgraded': causedBy<OfAgent & { readonly version: string; readonly fault: string | null }>()({
    types: ['AgentUpgraded', 'AgentUpgradeFailed'],
    changesAlerts: false,
    row: ({ fault }) => ({
      type: fault === null ? 'AgentUpgraded' : 'AgentUpgradeFailed',
      status: 'Unknown',
    }),
    text: ({ agentName, locationName, version, fault }) => {
      const agent = `Agent ${agentName} of Location ${locationName}`;
      return fault === null
        ? `${agent} runs version ${version}`
        : `${agent} was not upgraded to version ${version}: ${fault}`;
    },
  }),
};

type Kinds = typeof eventKinds;

/** The cause of an event of this kind. */
export type CauseOf<Kind extends keyof Kinds> = { readonly kind: Kind } & Parameters<Kinds[Kind]['text']>[0];

/** Everything that makes the controller record an event. */
export type EventCause = { [Kind in keyof Kinds]: CauseOf<Kind> }[keyof Kinds];

/** The causes that can open, end or touch alerts. */
export type AlertingCause = {
  [Kind in keyof Kinds]: Kinds[Kind]['changesAlerts'] extends true ? CauseOf<Kind> : never;
}[keyof Kinds];

/** The type of an event. */
export type EventType = Kinds[keyof Kinds]['types'][number];

/** The types of events, as the API names them. */
export const eventTypes: readonly EventType[] = [
  ...new Set(Object.values(eventKinds).flatMap(({ types }): readonly EventType[] => types)),
];

/** The row of the table for a cause. The table has each kind with its own causes, which a look-up cannot say. */
export function kindOf(cause: EventCause): EventKind<EventCause, EventType> {
  return eventKinds[cause.kind] as EventKind<EventCause, EventType>;
}

/** Whether a cause can open, end or touch alerts. */
export function changesAlerts(cause: EventCause): cause is AlertingCause {
  return kindOf(cause).changesAlerts;
}
