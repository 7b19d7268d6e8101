import type { Notice } from './channel.ts';
import { cut, factText, nameIn } from './fact-text.ts';
import { countsOf, worstFirst } from './message-group.ts';
import { headlineOf } from './message-headline.ts';
import { clockText } from './moment-text.ts';
import { whyOf } from './reason-text.ts';
import { endedKind, isRepeat } from './since-text.ts';

/**
 * A name of the alert that is true in all its states, so that its mails have one subject: `Outage of web since
 * 08:28:06 CET: HTTP 500`. undefined: the message has no thread. Pure.
 */
export function threadSubject(notice: Notice): string | undefined {
  const { data } = notice;
  const noun = threadNouns.get(endedKind(notice));
  const { Began, Since, Cause } = data;
  const name = nameIn(data);
  const since = typeof Began === 'string' ? Began : Since;
  if (noun === undefined || name === undefined || typeof since !== 'string') return undefined;
  // Always with the date: the text must not depend on the day of the message.
  const at = clockText(since, { composed: '', timezone: notice.timezone });
  const why = factText(Cause) ?? (Began === undefined ? whyOf(notice) : undefined);
  return `${noun} ${cut(name, 100)} since ${at}${why === undefined ? '' : `: ${cut(why, 80)}`}`;
}

const threadNouns: ReadonlyMap<string, string> = new Map([
  ['device.down', 'Outage of'],
  ['device.partial', 'Failure from some Locations of'],
  ['device.slow', 'Slowness of'],
  ['interface.down', 'Outage of an interface of'],
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
 * those after the first have `Re:` before it. This is the only prefix that every mail program removes before it
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
