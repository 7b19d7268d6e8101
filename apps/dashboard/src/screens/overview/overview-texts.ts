import { count } from '../../model/format.ts';
import type { OutageRank } from '../../model/outage-rank.ts';
import { devicesOf, listed } from '../../texts/counted.ts';

/** Texts of the overview and of the first visit. */
export const overviewTexts = {
  quiet: 'All quiet',
  down: (n: number) => (n === 1 ? '1 device is down' : `${count(n)} devices are down`),
  noneDown: 'No device is down.',
  readingAll: (n: number) => `Reading all ${devicesOf(n)} …`,
  causes: (n: number) => (n === 1 ? 'one cause' : `${count(n)} causes`),
  unobserved: 'Nothing is observed',
  unobservedWhy:
    'No Location is online. Most likely this is the network of the controller or of its agents, not your devices.',
  fleet: (n: number, locations: number) =>
    `${devicesOf(n)} at ${count(locations)} ${locations === 1 ? 'Location' : 'Locations'}`,
  newest: (age: string) => `last news from the controller ${age} ago`,
  isDown: 'is down',
  why: 'Why',
  behind: 'Behind it',
  behindIt: (n: number) =>
    n === 1
      ? '1 device is Down because of it; no contact is notified of:'
      : `${devicesOf(n)} are Down because of it; no contact is notified of:`,
  notified: 'Notified',
  by: (method: string, locations: readonly string[]) =>
    locations.length === 0 ? method : `${method} from ${listed(locations)}`,
  confirmed: 'confirmed',
  retries: (n: number) => (n === 0 ? 'without a retry' : `after ${n} ${n === 1 ? 'retry' : 'retries'}`),
  rank: ({ number, days }: OutageRank) => {
    const of = days === 1 ? '1 day' : `${days} days`;
    const words = ['first', 'second', 'third', 'fourth', 'fifth'][number - 1];
    return words === undefined ? `${count(number)} outages in ${of}` : `its ${words} outage in ${of}`;
  },
  notChecked: (n: number) =>
    n === 1 ? '1 behind it is not checked yet' : `${count(n)} behind it are not checked yet`,
  at: 'at',
  delivered: 'delivered',
  onTheWay: (names: readonly string[]) => `on the way to ${listed(names)}`,
  failed: (names: readonly string[]) => `not delivered to ${listed(names)}`,
  next: (names: readonly string[]) => `next ${listed(names)}`,
  unless: 'unless acknowledged',
  snooze: 'Snooze 1 h',
  moreBehind: (n: number) => `and ${count(n)} more`,
  noneNotified: 'no message was sent',
  notObserved: 'Not observed',
  otherAlerts: 'Other open alerts',
  maintenance: 'In maintenance',
  until: 'until',
  retrying: 'Up, but failing now or at some Locations',
  unknown: 'Unknown',
  troubled: 'Down in the last 24 hours, up now',
  timesDown: (n: number) => `${count(n)} × Down`,
  axis: ['24 h ago', '12 h', 'now'],
  inAll: (n: number) => (n === 1 ? '1 device' : `all ${count(n)}`),
  dayOutages: 'outages of the last 24 hours',
  events: 'Last events',
  allEvents: 'all events',
  wasDown: (age: string, result: string | null) =>
    result === null ? `Up again, was Down for ${age}` : `Up again, was Down for ${age}: ${result}`,
  noEvents: 'Nothing has happened yet.',
  first: 'What do you want to monitor?',
  firstHint: 'Paste a URL or a host. The Method is guessed, and you can change it.',
  firstField: 'Address',
  firstButton: 'Add this device',
  offline: (names: readonly string[]) =>
    names.length === 1 ? `Location ${listed(names)} is offline` : `Locations ${listed(names)} are offline`,
  unknownBehind: (n: number) => `${devicesOf(n)} Unknown`,
  showAll: (n: number) => `all ${count(n)}`,
} as const;
