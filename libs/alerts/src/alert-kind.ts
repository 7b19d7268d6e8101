/** The kinds of alerts and of their messages: values of `Notify` of a contact, and types of webhooks. */
export const alertKinds = [
  'device.down',
  'device.up',
  'device.partial',
  'device.slow',
  'certificate.expiring',
  'location.offline',
  'location.online',
  'anchor.down',
  'anchor.up',
  'agent.fenced',
  'contact.failing',
  'late.summary',
] as const;

/** One of `alertKinds`. */
export type AlertKind = (typeof alertKinds)[number];

/** What a message is about: the kind of its alert, or that somebody acknowledged one (for systems that keep incidents). */
export type MessageKind = AlertKind | 'acknowledged';

/** How bad an outage of a device is, worst first. Steps of notification schedules choose by it. */
export const severities = ['critical', 'warning', 'info'] as const;

/** One of `severities`. */
export type Severity = (typeof severities)[number];
