import type { Schemas } from '@vantage/client';

export type EventType = NonNullable<Schemas['HookCreate']['Events']>[number];

/** The types of events by what they are about. A type that is missing does not compile. */
const groupOf: Readonly<Record<EventType, 'status' | 'check' | 'alert' | 'location' | 'settings'>> = {
  Down: 'status',
  Up: 'status',
  Unknown: 'status',
  Partial: 'status',
  MaintStart: 'status',
  MaintEnd: 'status',
  Error: 'check',
  Recovered: 'check',
  Slow: 'check',
  Fast: 'check',
  CertificateExpiring: 'check',
  Restarted: 'check',
  InterfaceDown: 'check',
  InterfaceUp: 'check',
  Trap: 'check',
  Alert: 'alert',
  AlertFailed: 'alert',
  AlertSuppressed: 'alert',
  LocationOffline: 'location',
  LocationOnline: 'location',
  AnchorDown: 'location',
  AnchorUp: 'location',
  AgentFenced: 'location',
  AgentRevoked: 'location',
  AgentUpgraded: 'location',
  AgentUpgradeFailed: 'location',
  Created: 'settings',
  Changed: 'settings',
  Deleted: 'settings',
};

export const eventGroups = ['status', 'check', 'alert', 'location', 'settings'] as const;

/** The types of events of a group. */
export const typesOf = (group: (typeof eventGroups)[number]): readonly EventType[] =>
  (Object.keys(groupOf) as EventType[]).filter((type) => groupOf[type] === group);
