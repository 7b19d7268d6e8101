import { namedInMail } from './alert-mail-group.ts';
import { answersOf } from './answers.ts';
import type { DayPart, Notice } from './channel.ts';
import { acknowledgeAllOf, countsOf } from './message-group.ts';
import { lineOf } from './message-headline.ts';

const dayCharacters: Readonly<Record<DayPart, string>> = { Up: '.', Down: '#', Maint: 'm', Unknown: '?' };

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

/** The last line of a group that is too long for a mail: the number of the others and the page that lists them. */
function restOf(rest: number, all: string | undefined): readonly string[] {
  if (rest <= 0) return [];
  return [`and ${rest} more${all === undefined ? '' : `; the page names them: ${all}`}`];
}

function singleText(notice: Notice): readonly string[] {
  const { headline, lines, links } = answersOf(notice);
  const day =
    notice.day === null ? [] : ['', dayCaption, notice.day.map((part) => dayCharacters[part]).join('')];
  return [
    headline,
    '',
    ...lines.map(({ label, text }) => `${label}: ${text}`),
    ...(links.length === 0 ? [] : ['', ...links.map(({ label, url }) => `${label}: ${url}`)]),
    ...day,
  ];
}

const dayCaption = 'The last 24 hours (. Up, # Down, m maintenance, ? unknown):';
