import type { BaseStatus, DeviceStatus } from '@vantage/domain';
import type { Point } from './observation.ts';
import type { FoldEvent } from './step.ts';

/** The device that an event is about. */
interface OfDevice {
  readonly accountNo: number;
  readonly deviceNo: number;
}

/** The Location that an event is about. */
interface OfLocation {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly locationName: string;
}

/** A check changed the state of a device. */
export interface CheckCause extends OfDevice {
  readonly kind: 'check';
  readonly event: FoldEvent;
  /** Names of the Locations in `event.failing`, in the same order. */
  readonly failingNames: readonly string[];
  /** Seconds that users saw the status that ended; null where no status ended. */
  readonly endedS: number | null;
  /** The controller records the event later than the rules for late results allow. */
  readonly isLate: boolean;
}

/** Late results ended in another status than the last recorded event says. */
export interface CorrectionCause extends OfDevice {
  readonly kind: 'correction';
  readonly status: BaseStatus;
  /** The check that changed the state last; null before the first one. */
  readonly check: Point | null;
  readonly isLate: boolean;
}

/** A user started maintenance or gave a running window a new end, or a window that was planned began at `atUs`. */
interface MaintenanceStartCause extends OfDevice {
  readonly kind: 'maintenance-start';
  readonly by: 'user' | 'schedule' | 'time';
  readonly atUs: number;
  /** The user's words; null: none. */
  readonly reason: string | null;
  readonly isExtension: boolean;
  readonly durationUs: number;
  /** Seconds of the status before the maintenance; null for a device that was in maintenance already. */
  readonly endedS: number | null;
}

/** Maintenance ended: a user stopped it, or its window ran out at `atUs`. */
interface MaintenanceEndCause extends OfDevice {
  readonly kind: 'maintenance-end';
  readonly by: 'user' | 'time';
  /** The status that users see after the maintenance. */
  readonly status: DeviceStatus;
  readonly atUs: number;
  /** Seconds that the maintenance took. */
  readonly endedS: number;
}

/** A user created a device. */
export interface DeviceCreatedCause extends OfDevice {
  readonly kind: 'device-created';
  readonly deviceName: string;
}

/** A user changed the settings of a device. */
export interface DeviceChangedCause extends OfDevice {
  readonly kind: 'device-changed';
  readonly deviceName: string;
  readonly status: DeviceStatus;
  /** REST names of the changed settings. */
  readonly fields: readonly string[];
}

/** A user paused a device, and its status ended. */
interface DevicePausedCause extends OfDevice {
  readonly kind: 'device-paused';
  readonly deviceName: string;
  /** Seconds of the status that ended. */
  readonly endedS: number;
}

/** An agent of an offline Location is connected and runs its checks again. */
interface LocationOnlineCause extends OfLocation {
  readonly kind: 'location-online';
  readonly offlineSinceUs: number;
}

/** No agent of a Location runs its checks any more. */
interface LocationOfflineCause extends OfLocation {
  readonly kind: 'location-offline';
  /** End of the last coverage. */
  readonly sinceUs: number;
  /** Reason that a connected agent reported; null where no agent is connected. */
  readonly reason: string | null;
  /** Number of devices that no Location checks now. */
  readonly devices: number;
}

/** An anchor of a Location does not answer its agents, or answers again. */
interface AnchorCause extends OfLocation {
  readonly anchorName: string;
  /** Its address, or address and port: what distinguishes the anchors of a Location. */
  readonly target: string;
  /** Since when it does not answer. */
  readonly sinceUs: number;
}

interface AnchorDownCause extends AnchorCause {
  readonly kind: 'anchor-down';
  /** The agent's last check of it, in words. */
  readonly reason: string;
}

/** `removed`: it is no anchor any more. `unchecked`: no connected agent can check it any more. */
interface AnchorUpCause extends AnchorCause {
  readonly kind: 'anchor-up';
  readonly because: 'answers' | 'removed' | 'unchecked';
}

/** Two hosts used the identity of one agent, therefore the controller fenced the agent. */
export interface AgentFencedCause extends OfLocation {
  readonly kind: 'agent-fenced';
  readonly agentName: string;
  readonly hostNames: readonly string[];
}

/** A user or the operator revoked an agent: it may not connect any more. */
export interface AgentRevokedCause extends OfLocation {
  readonly kind: 'agent-revoked';
  readonly agentName: string;
}

/** An agent runs another version, or came back to its version before. */
export interface AgentUpgradeCause extends OfLocation {
  readonly kind: 'agent-upgraded';
  readonly agentName: string;
  /** The version that was asked for. */
  readonly version: string;
  /** Why the agent does not run it, for people; null: it runs. */
  readonly fault: string | null;
}

/** The good checks of a device became slow, or fast again. */
interface DeviceSpeedCause extends OfDevice {
  readonly kind: 'device-slow' | 'device-fast';
  /** The check that decided it. */
  readonly check: Point;
  readonly locationNo: number;
  /** Its end. */
  readonly atUs: number;
  /** How long it took, milliseconds. */
  readonly requestMs: number;
}

/** A check found a certificate that expires soon. */
interface CertificateExpiringCause extends OfDevice {
  readonly kind: 'certificate-expiring';
  readonly check: Point;
  readonly locationNo: number;
  /** End of the check. */
  readonly atUs: number;
  /** End of the certificate. */
  readonly notAfterUs: number;
}

/** The subject of an event about an alert: a device, a Location, or (both null) the account. */
interface OfAlert {
  readonly accountNo: number;
  readonly deviceNo: number | null;
  readonly locationNo: number | null;
  /** The alert's kind, for example `device.down`. */
  readonly alertKind: string;
  /** The status that users see; of a Location as in its own events. */
  readonly status: DeviceStatus;
}

/** The controller decided to notify people. */
interface AlertCause extends OfAlert {
  readonly kind: 'alert';
  /** The happening, for people: the CheckResult of an outage. */
  readonly text: string;
}

/** A notification of an alert cannot be delivered to a contact. */
interface AlertFailedCause extends OfAlert {
  readonly kind: 'alert-failed';
  readonly contactName: string;
  /** The last answer of the contact's server, without secrets. */
  readonly reason: string;
}

/** Why the controller decided not to notify people. */
export type SuppressionReason = 'master' | 'maintenance' | 'schedule' | 'late' | 'flapping';

/** The controller decided not to notify people. */
interface AlertSuppressedCause extends OfAlert {
  readonly kind: 'alert-suppressed';
  readonly reason: SuppressionReason;
  /** A sentence about the reason, for people: which master, until when. */
  readonly detail: string;
}

/** Everything that makes the controller record an event. Times are microseconds since 1970. */
export type EventCause =
  | CheckCause
  | CorrectionCause
  | MaintenanceStartCause
  | MaintenanceEndCause
  | DeviceCreatedCause
  | DeviceChangedCause
  | DevicePausedCause
  | DeviceSpeedCause
  | CertificateExpiringCause
  | LocationOnlineCause
  | LocationOfflineCause
  | AnchorDownCause
  | AnchorUpCause
  | AgentFencedCause
  | AgentRevokedCause
  | AgentUpgradeCause
  | AlertCause
  | AlertFailedCause
  | AlertSuppressedCause;
