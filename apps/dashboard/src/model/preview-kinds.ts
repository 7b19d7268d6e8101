import type { Severity } from '@vantage/domain';

/** The kinds of messages for which a schedule can be previewed, in the order of the list. */
export const previewKinds = [
  'device.down',
  'device.up',
  'device.partial',
  'device.slow',
  'certificate.expiring',
  'interface.down',
  'location.offline',
  'anchor.down',
  'agent.fenced',
  'contact.failing',
  'disk.low',
  'late.summary',
] as const;
export type PreviewKind = (typeof previewKinds)[number];

/** Kinds whose severity is not that of a device. */
const fixedSeverities: Readonly<Partial<Record<PreviewKind, Severity>>> = {
  'location.offline': 'critical',
  'anchor.down': 'critical',
  'agent.fenced': 'critical',
  'contact.failing': 'warning',
  'disk.low': 'warning',
  'late.summary': 'info',
};

/** The severity that alerts of a kind always have; undefined: that of the device. */
export const fixedSeverityOf = (kind: PreviewKind): Severity | undefined => fixedSeverities[kind];

/** A contact that a preview names. */
interface PreviewedContact {
  readonly contact_id: string;
  readonly Name: string;
}

/** A message of a preview. */
interface Previewed {
  readonly Contacts: readonly PreviewedContact[];
  readonly NotNotified: readonly (PreviewedContact & { readonly Reason: string })[];
}

/**
 * The contacts that are notified when the device is Up again: those who were notified of Down, unless they do not want
 * messages of Up. `up` is the preview of the same steps for such messages.
 */
export function toldOfUp(down: readonly Previewed[], up: readonly Previewed[]): Previewed {
  const reached = new Map(
    down.flatMap(({ Contacts }) => Contacts).map((contact) => [contact.contact_id, contact]),
  );
  const refusing = new Map(
    up.flatMap(({ NotNotified }) => NotNotified).map((contact) => [contact.contact_id, contact]),
  );
  return {
    Contacts: [...reached.values()].filter(({ contact_id }) => !refusing.has(contact_id)),
    NotNotified: [...refusing.values()].filter(({ contact_id }) => reached.has(contact_id)),
  };
}
