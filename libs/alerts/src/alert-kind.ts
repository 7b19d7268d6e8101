/** The kinds of alerts and of their messages: values of `Notify` of a contact, and types of webhooks. */
export const alertKinds = [
  'device.down',
  'device.up',
  'device.flapping',
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
  'clock.wrong',
  'disk.low',
  'backup.old',
] as const;

/** One of `alertKinds`. */
export type AlertKind = (typeof alertKinds)[number];

/** Kinds about one moment: they have no repeats and close with their last step. */
export const momentKinds: ReadonlySet<string> = new Set<AlertKind>([
  'agent.fenced',
  'certificate.expiring',
  'late.summary',
]);

/**
 * The subject of a message: the kind of its alert; for systems that keep incidents and for chats also that somebody
 * acknowledged it; for the first also that it closed without an end that people hear of.
 */
export type MessageKind = AlertKind | 'acknowledged' | 'closed';

/** Values of `Notify` of a contact: the kinds, and that somebody acknowledged an alert of which it was notified. */
export const notifyKinds = [...alertKinds, 'acknowledged'] as const;

/** How bad an outage of a device is, worst first. Steps of notification schedules choose by it. */
export const severities = ['critical', 'warning', 'info'] as const;

/** One of `severities`. */
export type Severity = (typeof severities)[number];
