import type { Schemas } from '@vantage/client';
import { dayBegin, dayEnd, isDay, isId, isName, isOneOf, type ListFilter } from './list-filter.ts';

type EventType = Schemas['Event']['Type'];

/** The types of events, in the order of a list of choices. */
export const eventTypes: Readonly<Record<EventType, string>> = {
  Down: 'Down',
  Up: 'Up',
  Error: 'First error',
  Recovered: 'A retry was good',
  Partial: 'Fails from some Locations only',
  Unknown: 'Unknown',
  MaintStart: 'Maintenance began',
  MaintEnd: 'Maintenance ended',
  Slow: 'Slow',
  Fast: 'Fast again',
  CertificateExpiring: 'Certificate ends soon',
  Restarted: 'Restarted',
  InterfaceDown: 'Interface Down',
  InterfaceUp: 'Interface Up',
  Trap: 'Trap or syslog',
  Alert: 'Alert',
  AlertSuppressed: 'Alert suppressed',
  AlertFailed: 'Message not delivered',
  LocationOffline: 'Location offline',
  LocationOnline: 'Location online',
  AnchorDown: 'Anchor Down',
  AnchorUp: 'Anchor Up',
  AgentFenced: 'Agent fenced',
  AgentRevoked: 'Agent revoked',
  AgentUpgraded: 'Agent upgraded',
  AgentUpgradeFailed: 'Agent not upgraded',
  Created: 'Created',
  Changed: 'Changed',
  Deleted: 'Deleted',
};

export const eventRules = {
  type: isOneOf(Object.keys(eventTypes)),
  location: isName,
  tag: isName,
  device: isId,
  from: isDay,
  to: isDay,
  before: isId,
};

export type EventFilter = ListFilter<keyof typeof eventRules>;

/** The parameters of the API for these filters, without the cursor. */
export function eventQuery({
  type,
  location,
  tag,
  device,
  from,
  to,
}: EventFilter): Readonly<Record<string, string>> {
  return {
    ...(type === '' ? {} : { Type: type }),
    ...(location === '' ? {} : { Location: location }),
    ...(tag === '' ? {} : { Tag: tag }),
    ...(device === '' ? {} : { Device: device }),
    ...(from === '' ? {} : { Timestamp1: dayBegin(from) }),
    ...(to === '' ? {} : { Timestamp2: dayEnd(to) }),
  };
}

/**
 * Whether a new event belongs to the list. `tags` are those of its device. `to` is in the past or today, so a new event
 * may be later: the list is read again and does not show it.
 */
export function matchesEvent(
  { type, location, tag, device }: EventFilter,
  event: Pick<Schemas['Event'], 'Type' | 'Location' | 'device_id'>,
  tags: readonly string[],
): boolean {
  const isSame = (a: string, b: string | null) => a === '' || a.toLowerCase() === b?.toLowerCase();
  return (
    isSame(type, event.Type) &&
    isSame(location, event.Location) &&
    isSame(device, event.device_id) &&
    (tag === '' || tags.some((each) => isSame(tag, each)))
  );
}
