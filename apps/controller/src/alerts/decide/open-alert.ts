import {
  type AlertKind,
  type AlertState,
  type Facts,
  type PastOutage,
  reopened,
  type Severity,
  severalKinds,
} from '@vantage/alerts';
import type { EventCause } from '@vantage/health';

/** A device as a new alert needs it. */
export interface ChangedDevice {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly shortName: string;
  readonly fullName: string | null;
  readonly severity: Severity;
  /** Confirmed outages of it that ended within the time in which three of them are flapping, each with its alert. */
  readonly recent: readonly (PastOutage & { readonly alertNo: number })[];
}

/** An open alert, as it is or as it will be inserted (`alertNo` null). */
export interface OpenAlert {
  readonly alertNo: number | null;
  readonly kind: AlertKind;
  readonly accountNo: number;
  readonly device: ChangedDevice | null;
  locationNo: number | null;
  agentNo: number | null;
  severity: Severity;
  sinceUs: number;
  state: AlertState;
  opening: Facts;
  ending: Facts | null;
  endedUp: boolean;
  /** It begins anew, because what it is about is there again and nobody heard that it was over. */
  isReopened: boolean;
  dueUs: number | null;
}

/** Changes being applied: what they read, and what they change. */
export interface Application {
  readonly devices: ReadonlyMap<number, ChangedDevice>;
  readonly flappingWindowUs: number;
  readonly nowUs: number;
  readonly alerts: Map<string, OpenAlert>;
  readonly changed: Set<OpenAlert>;
  readonly events: EventCause[];
}

/** It is open, and its end was not seen yet. */
export function isGoingOn(alert: OpenAlert | undefined): alert is OpenAlert {
  return alert !== undefined && alert.state.phase !== 'ended';
}

type NewAlert = Omit<OpenAlert, 'alertNo' | 'ending' | 'endedUp' | 'isReopened' | 'dueUs'>;

/** A new alert, or the one of the same kind again whose end nobody heard of. */
export function add(alert: NewAlert, application: Application): void {
  const { nowUs, alerts, changed } = application;
  // An alert about one moment may be open several times.
  const maySeveralBeOpen = severalKinds.has(alert.kind);
  const present = maySeveralBeOpen ? undefined : alerts.get(alertKey(alert));
  if (present !== undefined) {
    reopen(present, alert, application);
    return;
  }
  const made: OpenAlert = {
    ...alert,
    alertNo: null,
    ending: null,
    endedUp: false,
    isReopened: false,
    dueUs: nowUs,
  };
  if (!maySeveralBeOpen) alerts.set(alertKey(made), made);
  changed.add(made);
}

/** See `reopened` of libs/alerts. */
function reopen(alert: OpenAlert, anew: NewAlert, application: Application): void {
  const { state, sinceUs, ending } = alert;
  const upUs = ending?.['At'];
  const isOutage = alert.kind === 'device.down' && state.flapping === null;
  const over =
    isOutage && state.activeUs !== null && typeof upUs === 'number'
      ? { activeUs: state.activeUs, sinceUs, upUs }
      : null;
  alert.locationNo = anew.locationNo;
  alert.agentNo = anew.agentNo;
  alert.severity = anew.severity;
  alert.opening = anew.opening;
  alert.sinceUs = anew.sinceUs;
  alert.ending = null;
  alert.state = reopened(state, anew.state, { unaware: state.notified, over });
  alert.endedUp = false;
  alert.isReopened = alert.alertNo !== null;
  touch(alert, application);
}

/** Lets the alert be decided at once. */
export function touch(alert: OpenAlert | undefined, { nowUs, changed }: Application): void {
  if (alert === undefined) return;
  alert.dueUs = nowUs;
  changed.add(alert);
}

/**
 * The key of an open alert within its account. A Location may have alerts of several anchors; their Targets
 * differ.
 */
export function alertKey({
  kind,
  device,
  locationNo,
  opening,
}: {
  readonly kind: AlertKind;
  readonly device: { readonly deviceNo: number } | null;
  readonly locationNo: number | null;
  readonly opening: Facts;
}): string {
  if (device !== null) return `${kind}/device/${device.deviceNo}`;
  const anchor = kind === 'anchor.down' ? `/${JSON.stringify(opening['Target'])}` : '';
  return `${kind}/location/${locationNo}${anchor}`;
}
