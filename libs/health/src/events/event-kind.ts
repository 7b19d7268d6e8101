import { type DeviceStatus, secondUs } from '@vantage/domain';

/** The device that an event is about. */
export interface OfDevice {
  readonly accountNo: number;
  readonly deviceNo: number;
}

/** The Location that an event is about. */
export interface OfLocation {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly locationName: string;
}

/** The subject of an event about an alert: a device, a Location, or (both null) the account. */
export interface OfAlert {
  readonly accountNo: number;
  readonly deviceNo: number | null;
  readonly locationNo: number | null;
  /** The alert's kind, for example `device.down`. */
  readonly alertKind: string;
  /** The status that users see. For a Location, the status in its events. */
  readonly status: DeviceStatus;
}

/** The columns of a stored event that depend on its kind. Missing ones have their defaults: now, and null. */
interface EventColumns<Type extends string> {
  readonly type: Type;
  readonly status: DeviceStatus;
  /** Microseconds since 1970. */
  readonly at_us?: number;
  readonly location_no?: number | null;
  readonly check_result?: string;
  readonly check_id?: string | null;
  readonly duration_s?: number | null;
  readonly late?: boolean;
  /** null: the device is deleted, and the columns below identify it. */
  readonly device_no?: null;
  readonly gone_no?: number;
  readonly gone_id?: string;
  readonly gone_short_name?: string;
  readonly gone_full_name?: string | null;
  readonly gone_tag_nos?: number[];
}

/** A kind of event: its cause, types, columns and text. */
export interface EventKind<Cause, Type extends string = string, ChangesAlerts extends boolean = boolean> {
  /** The types of its events, as the API names them. */
  readonly types: readonly Type[];
  /** Whether it can open, end or touch alerts. */
  readonly changesAlerts: ChangesAlerts;
  readonly row: (cause: Cause, nowUs: number) => EventColumns<NoInfer<Type>>;
  /** The event for people (`Message` in REST). */
  readonly text: (cause: Cause) => string;
}

/** Declares the kind of event with this cause: `causedBy<OfLocation>()({ types: ['LocationClosed'], … })`. */
export function causedBy<Cause>() {
  return <const Type extends string, const ChangesAlerts extends boolean>(
    kind: EventKind<Cause, Type, ChangesAlerts>,
  ) => kind;
}

/** Whole seconds between two moments. */
export function secondsSince(sinceUs: number, nowUs: number): number {
  return Math.trunc((nowUs - sinceUs) / secondUs);
}
