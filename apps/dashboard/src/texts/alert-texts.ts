import { count } from '../model/format.ts';

const kinds = {
  'device.down': 'is Down',
  'device.up': 'is Up again',
  'device.flapping': 'is flapping',
  'device.partial': 'fails from some Locations only',
  'device.slow': 'is slow',
  'certificate.expiring': 'has a certificate or domain that ends soon',
  'interface.down': 'has an interface that is Down',
  'interface.up': 'has its interface again',
  'location.offline': 'is offline',
  'location.online': 'is online again',
  'anchor.down': 'has an anchor that is Down',
  'anchor.up': 'has its anchor again',
  'agent.fenced': 'has a fenced agent',
  'contact.failing': 'A contact cannot be reached',
  'late.summary': 'Late results',
  'clock.wrong': 'A clock of Vantage is wrong',
  'disk.low': 'The disk of Vantage is nearly full',
  'backup.old': 'The backup of Vantage is missing or too old',
  'database.back': 'The database of Vantage was set back to an older state',
  'certificate.failing': 'The certificate of Vantage cannot be renewed',
  'key.missing': 'Vantage has lost its key file',
} as const;

const messageKinds = { ...kinds, acknowledged: 'An alert was acknowledged' } as const;

/** Texts about alerts and their messages, on several screens. */
export const alertTexts = {
  kinds,
  /** After the name of the contact. */
  contactFailing: 'cannot be reached',
  messageKinds,
  /** The words of a kind of message: `is Down`. */
  messageKind: (kind: string): string =>
    Object.entries(messageKinds).find(([name]) => name === kind)?.[1] ?? kind,
  severity: { critical: 'critical', warning: 'warning', info: 'info' } as const,
  acknowledge: 'Acknowledge',
  acknowledgedBy: (by: string, note: string | null) => `acknowledged by ${by}${note ? `: “${note}”` : ''}`,
  messageTo: 'To',
  moreAttempts: (n: number) => `${count(n)} more attempts with the same answer`,
  courses: {
    delivered: 'delivered',
    again: 'not delivered, another attempt follows',
    failed: 'not delivered, no further attempt',
    waiting: 'waiting for its first attempt',
    merged: 'delivered with another message',
    withdrawn: 'withdrawn before it was sent',
    recorded: 'recorded, not sent',
  } as const,
} as const;
