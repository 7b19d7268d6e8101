import type { MessageKind } from '@vantage/alerts';
import type { Notice } from './channel.ts';
import { capital, clockText, cut, durationText, factText, nameIn, secondsSince } from './fact-text.ts';

/** The begin of an outage is told in these words: `Down for 3 min, since 08:28:06 CET`. */
const stateWords: ReadonlyMap<string, string> = new Map([
  ['device.down', 'Down'],
  ['device.partial', 'failing'],
  ['device.slow', 'slow'],
  ['location.offline', 'offline'],
  ['anchor.down', 'Down'],
  ['contact.failing', 'failing'],
  ['clock.wrong', 'wrong'],
  ['disk.low', 'nearly full'],
  ['backup.old', 'too old'],
  ['database.back', 'behind'],
  ['certificate.failing', 'failing'],
  ['key.missing', 'missing'],
]);

type Title = (of: string, notice: Notice) => string;

/** The first sentence of a message of each kind. `of` is the name of its subject. */
const titles: Readonly<Record<MessageKind | 'test', Title>> = {
  'device.down': (of) => `${of} is Down`,
  'device.up': upTitle,
  'device.flapping': (of, { data: { Outages, Since, Status }, ...at }) => {
    const seconds = secondsSince(Since, at);
    const within = seconds === undefined ? '' : ` in ${durationText(seconds)}`;
    return `${of} flaps${Status === 'Down' ? ' and is Down' : ''}: ${factText(Outages) ?? 'many'} outages${within}`;
  },
  'device.partial': (of) => `${of} fails from some Locations`,
  'device.slow': (of) => `${of} is slow`,
  'certificate.expiring': (of, { data: { DaysLeft } }) =>
    typeof DaysLeft === 'number' && DaysLeft < 0
      ? `The certificate of ${of} has expired`
      : `The certificate of ${of} expires soon`,
  'location.offline': (of) => `Location ${of} is offline`,
  'location.online': (of) => `Location ${of} is online again`,
  'anchor.down': (of) => `Anchor ${of} is Down`,
  'anchor.up': (of) => `Anchor ${of} is Up again`,
  'agent.fenced': (of) => `Agent ${of} is fenced`,
  'contact.failing': (of, { data }) =>
    data['Recovered'] === true ? `Contact ${of} can be reached again` : `Contact ${of} cannot be reached`,
  'clock.wrong': (_, { data }) =>
    data['Recovered'] === true ? 'The clocks of Vantage agree again' : 'A clock of Vantage is wrong',
  'disk.low': (_, { data }) =>
    data['Recovered'] === true ? 'The disk of Vantage has room again' : 'The disk of Vantage is nearly full',
  'backup.old': (_, { data }) =>
    data['Recovered'] === true ? 'Vantage has a new backup' : 'The backup of Vantage is missing or too old',
  'database.back': (_, { data }) =>
    data['Recovered'] === true
      ? 'The database of Vantage went on for an hour'
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
  closed: (of) => `The alert about ${of} is closed`,
  acknowledged: (of) => `The alert about ${of} is acknowledged`,
  test: () => 'Test message of Vantage',
};

/** A later version may have written a kind that this one does not know. */
const titleByKind = new Map(Object.entries(titles));

function upTitle(of: string, { data: { AlertKind, Outages, Seconds } }: Notice): string {
  if (AlertKind === 'device.partial') return `${of} works from all Locations again`;
  if (AlertKind === 'device.slow') return `${of} is not slow any more`;
  if (typeof Outages !== 'number') return `${of} is Up again`;
  return `${of} is Up again after ${Outages} outages, ${durationText(Seconds)} down in total`;
}

/** The first sentence about one notice: one line of text without control characters. */
export function titleOf(notice: Notice): string {
  const of = nameIn(notice.data) ?? 'something';
  return titleByKind.get(notice.kind)?.(of, notice) ?? `${notice.kind}: ${of}`;
}

/** Since when: `Down for 3 min, since 08:28:06 CET`. undefined: the facts do not say it. Pure. */
export function sinceOf(notice: Notice): string | undefined {
  const { kind, data } = notice;
  const { Since, DownSince, NotAfter } = data;
  if (kind === 'certificate.expiring')
    return typeof NotAfter === 'string' ? `not valid after ${clockText(NotAfter, notice)}` : undefined;
  if (kind === 'closed')
    return typeof Since === 'string' ? `it began at ${clockText(Since, notice)}` : undefined;
  if (kind === 'agent.fenced')
    return typeof Since === 'string' ? `since ${clockText(Since, notice)}` : undefined;
  if (kind === 'acknowledged') return ongoing(notice, stateWords.get(endedKind(notice)));
  if (kind === 'device.flapping') return flappingSince(notice);
  if (typeof DownSince === 'string' && typeof Since === 'string') return ended(notice, Since, DownSince);
  const word = data['Recovered'] === true ? undefined : stateWords.get(kind);
  return word === undefined ? undefined : ongoing(notice, word);
}

/** An outage that goes on; a repeat says which message of its alert it is. */
function ongoing(notice: Notice, word: string | undefined): string | undefined {
  const { Since, Number: number } = notice.data;
  const seconds = secondsSince(Since, notice);
  if (typeof Since !== 'string' || seconds === undefined) return undefined;
  const since = `since ${clockText(Since, notice)}`;
  if (word === undefined) return since;
  const repeat = isRepeat(notice) ? `, ${ordinal(number)} message` : '';
  return `${isRepeat(notice) ? 'still ' : ''}${word} for ${durationText(seconds)}, ${since}${repeat}`;
}

function flappingSince(notice: Notice): string | undefined {
  const { Since, DownSince, Status, Seconds } = notice.data;
  const first = typeof Since === 'string' ? `first outage at ${clockText(Since, notice)}` : undefined;
  const down = typeof Seconds === 'number' ? `Down for ${durationText(Seconds)} in total` : undefined;
  const now =
    Status === 'Down' && typeof DownSince === 'string'
      ? `Down again since ${clockText(DownSince, notice)}`
      : undefined;
  const parts = [now, first, down].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function ended(notice: Notice, since: string, downSince: string): string {
  const [up, was] = endWords.get(endedKind(notice)) ?? ['Up', 'Down'];
  const { Seconds, Outages } = notice.data;
  const begin = clockText(downSince, notice);
  const now = `${up} since ${clockText(since, notice)}`;
  if (typeof Outages === 'number') return `${now}, the first outage began at ${begin}`;
  return `${now}, was ${was} for ${durationText(Seconds)} (from ${begin})`;
}

const endWords: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['device.partial', ['working', 'failing']],
  ['device.slow', ['fast', 'slow']],
  ['location.offline', ['online', 'offline']],
  ['contact.failing', ['reachable', 'failing']],
  ['clock.wrong', ['correct', 'wrong']],
  ['disk.low', ['in order', 'nearly full']],
  ['backup.old', ['in order', 'too old']],
  ['database.back', ['in order', 'behind']],
  ['certificate.failing', ['in order', 'failing']],
  ['key.missing', ['there', 'missing']],
]);

function endedKind({ kind, data: { AlertKind } }: Notice): string {
  return typeof AlertKind === 'string' ? AlertKind : kind;
}

/** Why, as far as one sentence says it; undefined: nothing is known. */
export function whyOf(notice: Notice): string | undefined {
  const { kind, data } = notice;
  if (kind === 'acknowledged') {
    const by = factText(data['By']);
    const note = factText(data['Note']);
    if (by !== undefined) return note === undefined ? `by ${by}` : `by ${by}: ${note}`;
    return note;
  }
  if (kind === 'closed') return factText(data['Reason']);
  if (kind === 'agent.fenced') {
    const hosts = factText(data['Hosts']);
    const by = hosts === undefined ? '' : ` (${hosts})`;
    return `two processes use its identity${by}; neither may connect until somebody releases it`;
  }
  if (kind === 'location.offline')
    return factText(data['CheckResult']) ?? factText(data['LastWords']) ?? lastHeard(notice);
  // The result of a good check between two outages is no reason.
  if (kind === 'device.flapping' && data['Status'] !== 'Down') return undefined;
  return factText(data['CheckResult']);
}

/** An agent that is away said nothing more. */
function lastHeard(notice: Notice): string {
  const heard = notice.data['LastHeard'];
  const nobody = 'no agent there is connected';
  if (typeof heard !== 'object' || heard === null || !('At' in heard)) return nobody;
  const { Agent, At, Left } = heard;
  const agent = factText(Agent) ?? 'its agent';
  if (typeof At !== 'string') return nobody;
  const at = clockText(At, notice);
  return Left === true
    ? `${nobody}; ${agent} said that it ends, last heard at ${at}`
    : `${nobody}; ${agent} was last heard at ${at}`;
}

/** Longer reasons are cut in a headline; the message has all of it. */
export const longestWhy = 160;

/** The first line of a message: what, why and since. At most some 600 UTF-16 units. Pure. */
export function headlineOf(notice: Notice): string {
  const why = whyOf(notice);
  const since = sinceOf(notice);
  const first = cut(titleOf(notice), 300);
  const said = why === undefined ? first : `${first}${joined(notice.kind, cut(why, longestWhy))}`;
  return since === undefined ? `${said}.` : `${said}. ${capital(since)}.`;
}

/** The reason as it follows a title; some titles have a colon of their own. */
export function joined(kind: string, why: string): string {
  if (kind === 'acknowledged') return ` ${why}`;
  return kind === 'device.flapping' ? ` (${why})` : `: ${why}`;
}

/** Since when, for one line among many. */
function shortSince(notice: Notice): string | undefined {
  const { kind, data } = notice;
  const { Since, DownSince, Seconds } = data;
  const isEnd = typeof DownSince === 'string' && kind !== 'device.flapping';
  if (typeof Since !== 'string' || kind === 'certificate.expiring') return sinceOf(notice);
  const since = `since ${clockText(Since, notice)}`;
  if (!isEnd) return isRepeat(notice) ? `${since}, ${ordinal(data['Number'])} message` : since;
  return typeof Seconds === 'number' ? `${since}, after ${durationText(Seconds)}` : since;
}

/** The message repeats an earlier one of its alert. */
function isRepeat({ data: { Number: number } }: Notice): boolean {
  return typeof number === 'number' && number >= 2;
}

const ordinals = ['second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

function ordinal(number: unknown): string {
  if (typeof number !== 'number') return 'another';
  return ordinals[number - 2] ?? `${number}.`;
}

/**
 * A name of the alert that is true in all its states, so that its mails have one subject: `Outage of web since
 * 08:28:06 CET: HTTP 500`. undefined: the message has no thread. Pure.
 */
export function threadSubject(notice: Notice): string | undefined {
  const { data } = notice;
  const noun = threadNouns.get(endedKind(notice));
  const { Began, Since, Cause } = data;
  const of = nameIn(data);
  const since = typeof Began === 'string' ? Began : Since;
  if (noun === undefined || of === undefined || typeof since !== 'string') return undefined;
  // The date stands there always: the text must not depend on the day of the message.
  const at = clockText(since, { composed: '', timezone: notice.timezone });
  const why = factText(Cause) ?? (Began === undefined ? whyOf(notice) : undefined);
  return `${noun} ${cut(of, 100)} since ${at}${why === undefined ? '' : `: ${cut(why, 80)}`}`;
}

const threadNouns: ReadonlyMap<string, string> = new Map([
  ['device.down', 'Outage of'],
  ['device.partial', 'Failure from some Locations of'],
  ['device.slow', 'Slowness of'],
  ['location.offline', 'Outage of Location'],
  ['anchor.down', 'Outage of anchor'],
  ['contact.failing', 'Failure of contact'],
  ['clock.wrong', 'Wrong clock of'],
  ['disk.low', 'Nearly full disk of'],
  ['backup.old', 'Old backup of'],
  ['database.back', 'Lost time of the database of'],
  ['certificate.failing', 'Failing certificate of'],
  ['key.missing', 'Missing key file of'],
]);

/**
 * The subject of a mail: one line, also of a message about many notices. All mails of an alert have the same one, and
 * those after the first have `Re:` before it. This is the only prefix that every mail program takes away before it
 * compares subjects, and some (Gmail, Outlook) need equal subjects for a thread. So the subject is a name of the alert
 * that stays true when the device is back, and the first line of the body has the state.
 */
export function subjectOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (first === undefined) return 'Vantage';
  if (notices.length > 1) return groupSubject(notices);
  const name = threadSubject(first);
  if (name === undefined) return cut(headlineOf(first).replace(/\.$/, ''), 200);
  return isFirstOf(first) ? name : `Re: ${name}`;
}

/** The message opens the thread of its alert. */
function isFirstOf(notice: Notice): boolean {
  const { AlertKind, Recovered } = notice.data;
  const opens = AlertKind === undefined || AlertKind === notice.kind;
  return opens && !isRepeat(notice) && Recovered !== true;
}

/** The counts and the names of the worst: `7 messages: 5 Down, 2 Up again (db1, db2, mail and 4 more)`. */
function groupSubject(notices: readonly Notice[]): string {
  const names = worstFirst(notices)
    .slice(0, 3)
    .map(({ data }) => cut(nameIn(data) ?? 'something', 40));
  const rest = notices.length - names.length;
  return `${countsOf(notices)} (${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''})`;
}

/** One notice among many, at most some 300 characters: what, why, since. */
export function lineOf(notice: Notice): string {
  const why = whyOf(notice);
  const since = shortSince(notice);
  const said = cut(titleOf(notice), 120);
  return [
    why === undefined ? said : `${said}${joined(notice.kind, cut(why, 80))}`,
    ...(since === undefined ? [] : [` (${since})`]),
  ].join('');
}

/** How many messages of each kind, what goes on first: `7 messages: 5 Down, 2 Up again`. */
export function countsOf(notices: readonly Notice[]): string {
  const counts = Map.groupBy(worstFirst(notices), ({ kind }) => kind);
  const said = [...counts].map(([kind, of]) => `${of.length} ${counted.get(kind) ?? kind}`);
  return `${notices.length} messages: ${said.join(', ')}`;
}

/** Kinds of which many come at once. */
const counted = new Map([
  ['device.down', 'Down'],
  ['device.up', 'Up again'],
  ['device.flapping', 'flapping'],
]);

const severities: readonly unknown[] = ['critical', 'warning', 'info'];

/** Orders messages: open ones first, then by severity, otherwise stable. Pure. */
export function worstFirst(notices: readonly Notice[]): readonly Notice[] {
  const rank = ({ data, links }: Notice) => {
    const place = severities.indexOf(data['Severity']);
    return (links === null ? 3 : 0) + Math.max(0, place);
  };
  return notices.toSorted((a, b) => rank(a) - rank(b));
}

/** The link that acknowledges all alerts of the message; undefined: there is none. */
export function acknowledgeAllOf(notices: readonly Notice[]): string | undefined {
  return notices.find(({ links }) => links?.acknowledgeAll !== undefined)?.links?.acknowledgeAll;
}
