import type { AlertKind, AlertState, MessageFacts, PastOutage } from '@vantage/alerts';
import type { Severity } from '@vantage/domain';

/** The facts of a device that a new alert needs. */
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
  opening: MessageFacts;
  ending: MessageFacts | null;
  endedUp: boolean;
  /** It is open again, because its cause is back and no contact was notified of its end. */
  isReopened: boolean;
  dueUs: number | null;
}

/**
 * The key of an open alert within its account. A Location may have alerts of several anchors, whose Targets differ, and
 * a device those of several interfaces.
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
  readonly opening: MessageFacts;
}): string {
  const port = kind === 'interface.down' ? `/${JSON.stringify(opening['WatchedBy'])}` : '';
  if (device !== null) return `${kind}/device/${device.deviceNo}${port}`;
  const anchor = kind === 'anchor.down' ? `/${JSON.stringify(opening['Target'])}` : '';
  return `${kind}/location/${locationNo}${anchor}`;
}
