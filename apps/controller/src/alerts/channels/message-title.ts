import type { MessageKind } from '@vantage/alerts';
import type { Notice } from './channel.ts';
import { cut, factText, nameIn } from './fact-text.ts';
import { durationText, secondsSince } from './moment-text.ts';

type TitleOf = (name: string, notice: Notice) => string;

/** The first sentence of a message of each kind. `name` is the name of its subject. */
const titles: Readonly<Record<MessageKind | 'test', TitleOf>> = {
  'device.down': (name) => `${name} is Down`,
  'device.up': upTitle,
  'device.flapping': (name, { data: { Outages, Since, Status }, ...at }) => {
    const seconds = secondsSince(Since, at);
    const within = seconds === undefined ? '' : ` in ${durationText(seconds)}`;
    return `${name} flaps${Status === 'Down' ? ' and is Down' : ''}: ${factText(Outages) ?? 'many'} outages${within}`;
  },
  'device.partial': (name) => `${name} fails from some Locations`,
  'device.slow': (name) => `${name} is slow`,
  'certificate.expiring': (name, { data: { DaysLeft, Expiring } }) => {
    const what = Expiring === 'domain' ? 'domain' : 'certificate';
    const hasExpired = typeof DaysLeft === 'number' && DaysLeft < 0;
    return `The ${what} of ${name} ${hasExpired ? 'has expired' : 'expires soon'}`;
  },
  'interface.down': (name, { data }) => `Interface ${interfaceOf(data)} of ${name} is Down`,
  'interface.up': (name, { data }) =>
    data['Unwatched'] === true
      ? `Interface ${interfaceOf(data)} of ${name} is no longer watched`
      : `Interface ${interfaceOf(data)} of ${name} is Up again`,
  'location.offline': (name) => `Location ${name} is offline`,
  'location.online': (name) => `Location ${name} is online again`,
  'anchor.down': (name) => `Anchor ${name} is Down`,
  'anchor.up': (name) => `Anchor ${name} is Up again`,
  'agent.fenced': (name) => `Agent ${name} is fenced`,
  'contact.failing': (name, { data }) =>
    data['Recovered'] === true ? `Contact ${name} can be reached again` : `Contact ${name} cannot be reached`,
  'clock.wrong': (_, { data }) =>
    data['Recovered'] === true ? 'The clocks of Vantage agree again' : 'A clock of Vantage is wrong',
  'disk.low': (_, { data }) =>
    data['Recovered'] === true ? 'The disk of Vantage has room again' : 'The disk of Vantage is nearly full',
  'backup.old': (_, { data }) =>
    data['Recovered'] === true ? 'Vantage has a new backup' : 'The backup of Vantage is missing or too old',
  'database.back': (_, { data }) =>
    data['Recovered'] === true
      ? 'The database of Vantage is in order again'
      : 'The database of Vantage went back',
  'certificate.failing': (_, { data }) =>
    data['Recovered'] === true
      ? 'The certificate of Vantage is in order again'
      : 'The certificate of Vantage cannot be renewed',
  'key.missing': (_, { data }) =>
    data['Recovered'] === true ? 'Vantage has its key file again' : 'Vantage has lost its key file',
  'late.summary': (_, { data: { Count } }) =>
    typeof Count === 'number'
      ? `${Count} past ${Count === 1 ? 'outage' : 'outages'}, known from results that arrived late`
      : 'Results arrived late',
  closed: (name) => `The alert about ${name} is closed`,
  acknowledged: (name) => `The alert about ${name} is acknowledged`,
  test: () => 'Test message of Vantage',
};

/** A later version may have written a kind that this one does not know. */
const titleByKind = new Map(Object.entries(titles));

/** `Gi1/0/17 “uplink hall 2”`. */
function interfaceOf({ Interface, Alias }: Notice['data']): string {
  const name = cut(factText(Interface) ?? 'of unknown name', 80);
  const alias = factText(Alias);
  return alias === undefined || alias === name ? name : `${name} “${cut(alias, 80)}”`;
}

function upTitle(name: string, { data: { AlertKind, Outages, Seconds } }: Notice): string {
  if (AlertKind === 'device.partial') return `${name} works from all Locations again`;
  if (AlertKind === 'device.slow') return `${name} is no longer slow`;
  if (typeof Outages !== 'number') return `${name} is Up again`;
  return `${name} is Up again after ${Outages} outages, ${durationText(Seconds)} down in total`;
}

/** The first sentence about one notice: one line of text without control characters. */
export function titleOf(notice: Notice): string {
  const name = nameIn(notice.data) ?? 'something';
  return titleByKind.get(notice.kind)?.(name, notice) ?? `${notice.kind}: ${name}`;
}
