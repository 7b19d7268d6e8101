import { alertEvents } from './alert-events.ts';
import { deviceEvents } from './device-events.ts';
import type { EventKind } from './event-kind.ts';
import { locationEvents } from './location-events.ts';
import { maintenanceEvents } from './maintenance-events.ts';
import { networkEvents } from './network-events.ts';
import { warningEvents } from './warning-events.ts';

/** THE table of events, one row for each kind. Times are microseconds since 1970. */
const eventKinds = {
  ...deviceEvents,
  ...maintenanceEvents,
  ...warningEvents,
  ...networkEvents,
  ...alertEvents,
  ...locationEvents,
};

type Kinds = typeof eventKinds;

export type CauseOf<Kind extends keyof Kinds> = { readonly kind: Kind } & Parameters<Kinds[Kind]['text']>[0];

/** The causes for which the controller records an event. */
export type EventCause = { [Kind in keyof Kinds]: CauseOf<Kind> }[keyof Kinds];

/** The causes that can open, end or touch alerts. */
export type AlertingCause = {
  [Kind in keyof Kinds]: Kinds[Kind]['changesAlerts'] extends true ? CauseOf<Kind> : never;
}[keyof Kinds];

export type EventType = Kinds[keyof Kinds]['types'][number];

/** The types of events, as the API names them. */
export const eventTypes: readonly EventType[] = [
  ...new Set(Object.values(eventKinds).flatMap(({ types }): readonly EventType[] => types)),
];

/** The row of the table for a cause. A look-up cannot express that each kind has causes of its own, hence the cast. */
export function kindOf(cause: EventCause): EventKind<EventCause, EventType> {
  return eventKinds[cause.kind] as EventKind<EventCause, EventType>;
}

export function changesAlerts(cause: EventCause): cause is AlertingCause {
  return kindOf(cause).changesAlerts;
}
