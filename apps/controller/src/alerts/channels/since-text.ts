import type { Notice } from './channel.ts';
import { clockText, durationText, secondsSince } from './moment-text.ts';

/** The words for a state that began: `Down for 3 min, since 08:28:06 CET`. */
const stateWords: ReadonlyMap<string, string> = new Map([
  ['device.down', 'Down'],
  ['device.partial', 'failing'],
  ['device.slow', 'slow'],
  ['interface.down', 'Down'],
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

/** The duration and the start: `Down for 3 min, since 08:28:06 CET`. undefined: the facts do not say it. Pure. */
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

/** An outage that has not ended; a repeat says which message of its alert it is. */
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

export function endedKind({ kind, data: { AlertKind } }: Notice): string {
  return typeof AlertKind === 'string' ? AlertKind : kind;
}

/** The start, for one line among many. */
export function shortSince(notice: Notice): string | undefined {
  const { kind, data } = notice;
  const { Since, DownSince, Seconds } = data;
  const isEnd = typeof DownSince === 'string' && kind !== 'device.flapping';
  if (typeof Since !== 'string' || kind === 'certificate.expiring') return sinceOf(notice);
  const since = `since ${clockText(Since, notice)}`;
  if (!isEnd) return isRepeat(notice) ? `${since}, ${ordinal(data['Number'])} message` : since;
  return typeof Seconds === 'number' ? `${since}, after ${durationText(Seconds)}` : since;
}

/** The message repeats an earlier one of its alert. */
export function isRepeat({ data: { Number: number } }: Notice): boolean {
  return typeof number === 'number' && number >= 2;
}

const ordinals = ['second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

function ordinal(number: unknown): string {
  if (typeof number !== 'number') return 'another';
  return ordinals[number - 2] ?? `${number}.`;
}
