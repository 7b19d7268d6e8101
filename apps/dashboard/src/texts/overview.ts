import { count } from '../model/format.ts';
import type { Trouble } from '../model/headline.ts';
import { devicesOf } from './counted.ts';

const isOrAre = (n: number) => (n === 1 ? 'is' : 'are');

const troubles: Readonly<Record<Trouble, (n: number) => string>> = {
  offline: (n) => (n === 1 ? '1 Location is offline' : `${count(n)} Locations are offline`),
  Unknown: (n) => `${devicesOf(n)} ${isOrAre(n)} Unknown`,
  Partial: (n) => `${devicesOf(n)} ${n === 1 ? 'fails' : 'fail'} from some Locations only`,
  Retrying: (n) => `${devicesOf(n)} ${isOrAre(n)} Retrying`,
  open: (n) => (n === 1 ? '1 open alert' : `${count(n)} open alerts`),
  handled: (n) => `${count(n)} ${n === 1 ? 'alert' : 'alerts'} acknowledged, snoozed or suppressed`,
};

/** The troubles of an account in one sentence. */
export const troubleWords = (all: readonly (readonly [trouble: Trouble, count: number])[]): string =>
  all.map(([trouble, n]) => troubles[trouble](n)).join(', ');

/** Texts of the overview and of the first visit. */
export const overviewTexts = {
  overview: {
    quiet: 'All quiet',
    down: (n: number) => (n === 1 ? '1 device is down' : `${count(n)} devices are down`),
    causes: (n: number) => (n === 1 ? 'one cause' : `${count(n)} causes`),
    unobserved: 'Nothing is observed',
    unobservedWhy:
      'No Location is online. Most likely this is the network of the controller or of its agents, not your devices.',
    fleet: (n: number, at: number) =>
      `${devicesOf(n)} at ${count(at)} ${at === 1 ? 'Location' : 'Locations'}`,
    newest: (age: string) => `last word from the controller ${age} ago`,
    isDown: 'is down',
    for: (age: string) => `for ${age}`,
    why: 'Why',
    behind: 'Behind it',
    behindIt: (n: number) =>
      `${devicesOf(n)} ${n === 1 ? 'is' : 'are'} Down because of it and ${n === 1 ? 'notifies' : 'notify'} nobody:`,
    more: (n: number) => `and ${count(n)} more`,
    notified: 'Notified',
    notifications: (delivered: number, pending: number, failed: number) =>
      [
        delivered > 0 ? `${count(delivered)} delivered` : '',
        pending > 0 ? `${count(pending)} on the way` : '',
        failed > 0 ? `${count(failed)} failed` : '',
      ]
        .filter((part) => part !== '')
        .join(', '),
    nobody: 'nobody: no message was sent',
    acknowledgedBy: (by: string, note: string | null) => `acknowledged by ${by}${note ? `: “${note}”` : ''}`,
    notObserved: 'Not observed',
    noAgent: 'no agent is connected',
    otherAlerts: 'Other open alerts',
    maintenance: 'In maintenance',
    until: (time: string) => `until ${time}`,
    retrying: 'Up, but failing now or in places',
    unknown: 'Unknown',
    troubled: 'Down in the last 24 hours, up now',
    timesDown: (n: number) => `${count(n)} × Down`,
    events: 'Last events',
    noEvents: 'Nothing has happened yet.',
    first: 'What do you want to watch?',
    firstHint: 'Paste a URL or a host. The Method is guessed, and you can change it.',
    firstField: 'Address',
    firstButton: 'Add this device',
    firstSteps: 'Then',
    steps: [
      ['Add a contact', '/schedules/contacts/new', 'who gets a message when something is Down'],
      ['Make a status page', '/status-pages/new', 'for colleagues and customers'],
      ['Invite an agent', '/locations', 'to check from another place'],
      ['Read the API', '/docs/api', 'to bring many devices at once'],
    ] as const,
    showAll: (n: number) => `all ${count(n)}`,
  },
} as const;
