/** The properties of a kind of alert, or of its messages. */
interface KindFacts {
  /**
   * The kind of the message about the end of the alert. If it is the same kind, the fact Recovered distinguishes them.
   */
  readonly end?: string;
  /** It is about one moment: it has no repeats and closes with its last step. */
  readonly isMoment?: true;
  /** Several alerts about one subject may be open at the same time. */
  readonly maySeveralBeOpen?: true;
  /** It is about the state of a device: of several, the latest counts. */
  readonly isDeviceState?: true;
  /** It can be acknowledged by a link in a message. */
  readonly isAcknowledgeable?: true;
  /** It closes when its Location is deleted. */
  readonly endsWithLocation?: true;
  /** It is about the installation itself; each account has one, however many controllers see the problem. */
  readonly isOfInstallation?: true;
}

/** THE table of kinds: the values of a contact's `Notify` and the types of webhooks, with their properties. */
const kinds = {
  'device.down': { end: 'device.up', isDeviceState: true, isAcknowledgeable: true },
  'device.up': { isDeviceState: true },
  'device.flapping': { isDeviceState: true, isAcknowledgeable: true },
  'device.partial': { end: 'device.up', isDeviceState: true, isAcknowledgeable: true },
  'device.slow': { end: 'device.up', isDeviceState: true, isAcknowledgeable: true },
  'certificate.expiring': { isMoment: true, maySeveralBeOpen: true },
  'interface.down': { end: 'interface.up', isAcknowledgeable: true },
  'interface.up': {},
  'location.offline': { end: 'location.online', isAcknowledgeable: true, endsWithLocation: true },
  'location.online': {},
  'anchor.down': { end: 'anchor.up', isAcknowledgeable: true, endsWithLocation: true },
  'anchor.up': {},
  'agent.fenced': { isMoment: true, maySeveralBeOpen: true },
  'contact.failing': { end: 'contact.failing' },
  'late.summary': { isMoment: true },
  'clock.wrong': { end: 'clock.wrong', isOfInstallation: true },
  'disk.low': { end: 'disk.low', isOfInstallation: true },
  'backup.old': { end: 'backup.old', isOfInstallation: true },
  'database.back': { end: 'database.back', isOfInstallation: true },
  'certificate.failing': { end: 'certificate.failing', isOfInstallation: true },
  'key.missing': { end: 'key.missing', isOfInstallation: true },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type AlertKind = keyof typeof kinds;

const facts: Readonly<Record<AlertKind, KindFacts>> = kinds;

export const alertKinds = Object.keys(kinds) as AlertKind[];

/** The kinds with a property. A stored kind may be one of a later version, so these are sets of texts. */
function kindsThat(has: (kind: KindFacts) => boolean): ReadonlySet<string> {
  return new Set(alertKinds.filter((kind) => has(facts[kind])));
}

/** Kinds about one moment: they have no repeats and close with their last step. */
export const momentKinds = kindsThat(({ isMoment }) => isMoment === true);
/** Kinds of which several alerts about one subject may be open at the same time. */
export const severalKinds = kindsThat(({ maySeveralBeOpen }) => maySeveralBeOpen === true);
/** Kinds about the state of a device. */
export const deviceStateKinds = kindsThat(({ isDeviceState }) => isDeviceState === true);
/** Kinds of alerts that can be acknowledged because they stay open. */
export const acknowledgeableKinds = kindsThat(({ isAcknowledgeable }) => isAcknowledgeable === true);
/** Kinds of alerts that close when their Location is deleted. */
export const kindsOfLocation = kindsThat(({ endsWithLocation }) => endsWithLocation === true);

/** Kinds of alerts about the installation itself. */
export const installationKinds = kindsThat(({ isOfInstallation }) => isOfInstallation === true);

/** The kind of the last message of an alert, if it has one. */
export function endKindOf(kind: AlertKind): AlertKind | undefined {
  return alertKinds.find((candidate) => candidate === facts[kind].end);
}

/**
 * Whether a message of this kind begins or ends an incident, for systems that keep incidents; undefined: neither, or it
 * is a kind of a later version.
 */
export function turnOf(kind: string): 'begins' | 'ends' | undefined {
  const known = alertKinds.find((candidate) => candidate === kind);
  if (known === undefined) return undefined;
  if (facts[known].end !== undefined || known === 'device.flapping') return 'begins';
  return alertKinds.some((candidate) => facts[candidate].end === known) ? 'ends' : undefined;
}

/**
 * The subject of a message: the kind of its alert, or its acknowledgement (for systems that keep incidents, and for
 * chats), or that it closed without a message about its end (for systems that keep incidents).
 */
export type MessageKind = AlertKind | 'acknowledged' | 'closed';

/** The values of a contact's `Notify`: the kinds, and the acknowledgement of an alert of which it was notified. */
export const notifyKinds = [...alertKinds, 'acknowledged'] as const;
