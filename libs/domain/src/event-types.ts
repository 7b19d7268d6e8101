/** The types of events, as the API names them. */
export const eventTypes = [
  'Created',
  'Changed',
  'Error',
  'Recovered',
  'Partial',
  'Down',
  'Up',
  'Unknown',
  'MaintStart',
  'MaintEnd',
  'Slow',
  'Fast',
  'CertificateExpiring',
  'Alert',
  'AlertFailed',
  'AlertSuppressed',
  'LocationOffline',
  'LocationOnline',
  'AnchorDown',
  'AnchorUp',
  'AgentFenced',
  'AgentRevoked',
  'AgentUpgraded',
  'AgentUpgradeFailed',
] as const;

/** The type of an event. */
export type EventType = (typeof eventTypes)[number];
