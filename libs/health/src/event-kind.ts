import { checkId, type DeviceStatus, dayUs, secondUs } from '@vantage/domain';
import type { Point } from './observation.ts';
import type { FoldEvent } from './step.ts';

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
  /** The status that users see; of a Location as in its own events. */
  readonly status: DeviceStatus;
}

/** Columns of a stored event that depend on its kind. Those that are left out have their defaults: now, and null. */
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
  /** null where the device is gone: the columns below then say which one it was. */
  readonly device_no?: null;
  readonly gone_no?: number;
  readonly gone_id?: string;
  readonly gone_short_name?: string;
  readonly gone_full_name?: string | null;
  readonly gone_tag_nos?: number[];
}

/** A kind of event: its cause, its types, how it is stored and what it says. */
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

/** A warning that a check decided. */
export interface OfCheck extends OfDevice {
  readonly check: Point;
  readonly locationNo: number;
  /** The check's end. */
  readonly atUs: number;
}

/** The columns of a warning that a check decided. */
export function warningRow({ deviceNo, check, atUs }: OfCheck) {
  return { status: 'Up' as const, at_us: atUs, check_id: checkId({ deviceNo, ...check }) };
}

/** Whole seconds between two moments. */
export function secondsSince(sinceUs: number, nowUs: number): number {
  return Math.trunc((nowUs - sinceUs) / secondUs);
}

/** Why an anchor counts as reachable again, for people. */
export const anchorEnds = {
  answers: 'answers again',
  removed: 'is not set any more',
  unchecked: 'cannot be checked any more',
} as const;

/** When a certificate ends, for people: `expires in 13 days, at 2026-12-05T10:00:00Z`. */
export function certificateText({
  atUs,
  notAfterUs,
}: {
  readonly atUs: number;
  readonly notAfterUs: number;
}): string {
  const days = Math.floor(Math.abs(notAfterUs - atUs) / dayUs);
  const count = `${days} ${days === 1 ? 'day' : 'days'}`;
  const end = `at ${new Date(notAfterUs / 1000).toISOString().replace('.000', '')}`;
  return notAfterUs > atUs ? `expires in ${count}, ${end}` : `expired ${count} ago, ${end}`;
}

/** The event of a check, for people. */
export function checkText({ type, text, endsPartial }: FoldEvent, failingNames: readonly string[]): string {
  switch (type) {
    case 'Error':
      return `First error, not yet confirmed: ${text}`;
    case 'Recovered':
      return endsPartial ? `Recovered at all Locations: ${text}` : `The retry succeeded: ${text}`;
    case 'Partial':
      return `Fails from ${failingNames.join(', ')} only`;
    case 'Down':
      return `Down: ${text}`;
    case 'Up':
      return `Up: ${text}`;
    case 'Unknown':
      return `Status unknown: ${text}`;
  }
}
