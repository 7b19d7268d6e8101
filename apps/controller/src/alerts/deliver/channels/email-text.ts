import { answersOf } from './answers.ts';
import type { DayPart, Notice } from './channel.ts';
import { cut, nameIn } from './fact-text.ts';
import { headlineOf, isRepeat, joined, shortSince, threadSubject, titleOf, whyOf } from './headline.ts';

/**
 * The subject: one line, also of a message about many notices. All mails of an alert have the same one, and those after
 * the first have `Re:` before it. This is the only prefix that every mail program takes away before it compares
 * subjects, and some (Gmail, Outlook) need equal subjects for a thread. So the subject is a name of the alert that
 * stays true when the device is back, and the first line of the body has the state.
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

/** A mail names so many of a group; the rest is a number. */
const mostNamed = 50;
/**
 * Bytes of their lines: encoded for mail and escaped for HTML they stay below 90 kB, where Gmail cuts a mail at 102 kB.
 */
const mostBytes = 9_000;

/** The notices of a group that a mail names, the worst first. Pure. */
export function namedInMail(notices: readonly Notice[]): readonly Notice[] {
  let left = mostBytes;
  return worstFirst(notices)
    .slice(0, mostNamed)
    .filter((notice) => {
      left -= Buffer.byteLength(lineOf(notice));
      return left >= 0;
    });
}

const severities: readonly unknown[] = ['critical', 'warning', 'info'];

/** Orders messages: open ones first, then by severity, otherwise stable. Pure. */
export function worstFirst(notices: readonly Notice[]): readonly Notice[] {
  const rank = ({ data, links }: Notice) => {
    const place = severities.indexOf(data['Severity']);
    return (links === null ? 3 : 0) + Math.max(0, place);
  };
  return notices.toSorted((a, b) => rank(a) - rank(b));
}

const marks: Readonly<Record<DayPart, string>> = { Up: '.', Down: '#', Maint: 'm', Unknown: '?' };

/** The message as plain text. */
export function textBody(notices: readonly Notice[]): string {
  const [only, ...more] = notices;
  if (only === undefined) return '';
  const lines = more.length === 0 ? singleText(only) : groupText(notices);
  return `${lines.join('\n')}\n`;
}

function groupText(notices: readonly Notice[]): readonly string[] {
  const all = acknowledgeAllOf(notices);
  const named = namedInMail(notices);
  const lines = named.flatMap((notice) => [
    lineOf(notice),
    ...(all === undefined && notice.links !== null ? [`  Acknowledge: ${notice.links.acknowledge}`] : []),
  ]);
  const act = all === undefined ? [] : [`Acknowledge all: ${all}`, ''];
  return [`${countsOf(notices)}.`, '', ...act, ...lines, ...restOf(notices.length - named.length, all)];
}

/** The last line of a group that is longer than a mail names: a number, and where the others are. */
function restOf(rest: number, all: string | undefined): readonly string[] {
  if (rest <= 0) return [];
  return [`and ${rest} more${all === undefined ? '' : `; the page names them: ${all}`}`];
}

/** The link that acknowledges all alerts of the message; undefined: there is none. */
export function acknowledgeAllOf(notices: readonly Notice[]): string | undefined {
  return notices.find(({ links }) => links?.acknowledgeAll !== undefined)?.links?.acknowledgeAll;
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

function singleText(notice: Notice): readonly string[] {
  const { headline, lines, links } = answersOf(notice);
  const day = notice.day === null ? [] : ['', dayCaption, notice.day.map((part) => marks[part]).join('')];
  return [
    headline,
    '',
    ...lines.map(({ label, text }) => `${label}: ${text}`),
    ...(links.length === 0 ? [] : ['', ...links.map(({ label, url }) => `${label}: ${url}`)]),
    ...day,
  ];
}

/** The caption of the picture of a day. */
const dayCaption = 'The last 24 hours (. Up, # Down, m maintenance, ? unknown):';
