import type { MessageKind } from '@vantage/alerts';
import type { Json } from '@vantage/domain';
import type { DayPart, Notice } from './channel.ts';
import { contextLines } from './context-lines.ts';

/** What a message of each kind says first. `of` is the name of what it is about. */
const titles: Readonly<Record<MessageKind | 'test', (of: string, data: Notice['data']) => string>> = {
  'device.down': (of) => `${of} is Down`,
  'device.up': (of, { Outages, Seconds }) =>
    typeof Outages === 'number'
      ? `${of} is Up again after ${Outages} outages, ${durationText(Seconds)} down in sum`
      : `${of} is Up again`,
  'device.flapping': (of, { Outages, Status, DownSince }) =>
    `${of} flaps: ${factText(Outages) ?? 'many'} outages${Status === 'Down' ? `, and Down since ${factText(DownSince) ?? 'now'}` : ''}`,
  'device.partial': (of) => `${of} fails from some Locations`,
  'device.slow': (of) => `${of} is slow`,
  'certificate.expiring': (of) => `The certificate of ${of} expires soon`,
  'location.offline': (of) => `Location ${of} is offline`,
  'location.online': (of) => `Location ${of} is online again`,
  'anchor.down': (of) => `Anchor ${of} is Down`,
  'anchor.up': (of) => `Anchor ${of} is Up again`,
  'agent.fenced': (of) => `Agent ${of} is fenced`,
  'contact.failing': (of) => `Contact ${of} cannot be reached`,
  'late.summary': (_, { Count }) =>
    typeof Count === 'number'
      ? `${Count} ${Count === 1 ? 'outage' : 'outages'} that ${Count === 1 ? 'is' : 'are'} over, by results that arrived late`
      : 'Results arrived late',
  closed: (of) => `The alert about ${of} is closed without an end`,
  acknowledged: (of) => `The alert about ${of} is acknowledged`,
  test: () => 'Test message of Vantage',
};

/** A later version may have written a kind that this one does not know. */
const titleByKind = new Map(Object.entries(titles));

/** Facts that a message shows, with their labels. */
const labels = [
  ['FullName', 'Name'],
  ['URL', 'Address'],
  ['Method', 'Method'],
  ['Status', 'Status'],
  ['Since', 'Since'],
  ['DownSince', 'Down since'],
  ['NotAfter', 'Expires'],
  ['CheckResult', 'Result'],
  ['Location', 'Location'],
  ['Master', 'Master'],
  ['Reason', 'Reason'],
  ['Severity', 'Severity'],
  ['Devices', 'Devices'],
  ['Message', 'Message'],
  ['By', 'By'],
  ['Note', 'Note'],
] as const;

/** A line of a message. */
export interface FactLine {
  readonly label: string;
  readonly text: string;
}

/** The first sentence about one notice: one line of text without control characters. */
export function titleOf({ kind, data }: Notice): string {
  const title = titleByKind.get(kind);
  const of = nameIn(data) ?? 'something';
  if (kind === 'contact.failing' && data['Recovered'] === true) return `Contact ${of} can be reached again`;
  return title === undefined ? `${kind}: ${of}` : title(of, data);
}

/** What a notice is about, as people call it; undefined: its facts name nothing. One line of text without control characters. */
export function nameIn(data: Notice['data']): string | undefined {
  const name = [data['ShortName'], data['Name'], data['Contact'], data['Agent'], data['Location']].find(
    (each) => typeof each === 'string' && each !== '',
  );
  return typeof name === 'string' ? plain(name) : undefined;
}

/** The facts of a notice that a person wants to read, in a fixed sequence. */
export function factLines({ kind, data }: Notice): readonly FactLine[] {
  const lines = labels.flatMap(([name, label]) => {
    const text = factText(data[name]);
    return text === undefined ? [] : [{ label, text }];
  });
  const { Seconds } = data;
  const down = typeof Seconds === 'number' ? [{ label: 'Down for', text: durationText(Seconds) }] : [];
  return [...lines, ...down, ...contextLines(data), ...(kind === 'late.summary' ? outageLines(data) : [])];
}

/** The outages of a summary, each with its device and its times. */
function outageLines({ Outages }: Notice['data']): readonly FactLine[] {
  if (!Array.isArray(Outages)) return [];
  return Outages.flatMap((outage) => {
    if (typeof outage !== 'object' || outage === null || Array.isArray(outage)) return [];
    const { ShortName, Start, End } = outage;
    const text = `${factText(ShortName) ?? 'a device'}, ${factText(Start) ?? '?'} to ${factText(End) ?? '?'}`;
    return [{ label: 'Outage', text }];
  });
}

/** Seconds as people say them: `45 s`, `24 min`, `3 h 20 min`, `2 days 3 h`. */
function durationText(seconds: Json | undefined): string {
  if (typeof seconds !== 'number') return 'some time';
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (seconds < 120) return `${seconds} s`;
  if (minutes < 120) return `${minutes} min`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** A fact as one line of text; undefined: it says nothing. */
export function factText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value)) return plain(value.map((each) => factText(each) ?? '').join(', '));
  // A reference to a device, such as its master.
  if (typeof value === 'object' && 'ShortName' in value) return factText(value.ShortName);
  if (typeof value === 'object') return plain(JSON.stringify(value));
  return plain(String(value));
}

/** One line without control characters and marks that change the direction of text. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1_000);
}

/** The subject: one line, also of a message about many notices. */
export function subjectOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (first === undefined) return 'Vantage';
  if (notices.length > 1) return `${notices.length} messages: ${countsOf(notices)}`;
  const result = first.data['CheckResult'];
  const text =
    typeof result === 'string' && result !== '' ? `${titleOf(first)}: ${plain(result)}` : titleOf(first);
  return text.slice(0, 150);
}

function countsOf(notices: readonly Notice[]): string {
  const counts = Map.groupBy(notices, ({ kind }) => kind);
  return [...counts].map(([kind, of]) => `${of.length} ${counted.get(kind) ?? kind}`).join(', ');
}

/** Kinds of which many come at once. */
const counted = new Map([
  ['device.down', 'Down'],
  ['device.up', 'Up again'],
  ['device.flapping', 'flapping'],
]);

const marks: Readonly<Record<DayPart, string>> = { Up: '.', Down: '#', Maint: 'm', Unknown: '?' };

/** The message as plain text. */
export function textBody(notices: readonly Notice[]): string {
  const [only, ...more] = notices;
  if (only === undefined) return '';
  if (more.length === 0) return `${singleText(only).join('\n')}\n`;
  const lines = notices.flatMap((notice) => [lineOf(notice), ...linkLines(notice, '  ')]);
  const all = acknowledgeAllOf(notices);
  const act = all === undefined ? [] : [`Acknowledge all: ${all}`, ''];
  return `${[`${subjectOf(notices)}.`, '', ...act, ...lines].join('\n')}\n`;
}

/** The link that acknowledges all alerts of the message; undefined: there is none. */
export function acknowledgeAllOf(notices: readonly Notice[]): string | undefined {
  return notices.find(({ links }) => links?.acknowledgeAll !== undefined)?.links?.acknowledgeAll;
}

/** One notice among many. */
export function lineOf(notice: Notice): string {
  const result = notice.data['CheckResult'];
  const why = typeof result === 'string' && result !== '' ? ` (${plain(result)})` : '';
  return `${notice.timestamp}  ${titleOf(notice)}${why}`;
}

function singleText(notice: Notice): readonly string[] {
  const day = notice.day === null ? [] : ['', dayCaption, notice.day.map((part) => marks[part]).join('')];
  return [
    `${titleOf(notice)}.`,
    '',
    `Time: ${notice.timestamp}`,
    ...factLines(notice).map(({ label, text }) => `${label}: ${text}`),
    ...day,
    '',
    ...linkLines(notice, ''),
  ];
}

/** What stands above the picture of a day. */
const dayCaption = 'The last 24 hours (. Up, # Down, m maintenance, ? unknown):';

function linkLines({ links }: Notice, indent: string): readonly string[] {
  if (links === null) return [];
  return [`${indent}Acknowledge: ${links.acknowledge}`, `${indent}Snooze: ${links.snooze}`];
}
