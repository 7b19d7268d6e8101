import type { AnswerLine } from './answer-line.ts';
import { answersOf, type MessageLink } from './answers.ts';
import type { Notice } from './channel.ts';
import { cut } from './fact-text.ts';
import { acknowledgeAllOf, countsOf, worstFirst } from './message-group.ts';
import { lineOf } from './message-headline.ts';

/** A message for a chat, without markup. */
export interface ChatText {
  /** What, why and since in one line; of several notices how many of each kind. */
  readonly title: string;
  /** The facts of one notice, or a line for each of several. */
  readonly lines: readonly string[];
  readonly links: readonly MessageLink[];
}

/** The longest title. */
const maxTitleLength = 600;
/** Characters for the last line: "and 12345 more". */
const reserve = 20;

/**
 * The message for a chat. Title and lines, joined by line ends, have at most `maxLength` (700 or more) UTF-16
 * units; the last line counts the lines that do not fit. Links are not included. Pure.
 */
export function chatText(notices: readonly Notice[], maxLength: number): ChatText {
  const [only, ...more] = notices;
  if (only === undefined) return { title: 'Vantage', lines: [], links: [] };
  if (more.length > 0) {
    const all = acknowledgeAllOf(notices);
    const title = `${countsOf(notices)}.`;
    return {
      title,
      lines: fitting(worstFirst(notices).map(lineOf), maxLength - title.length),
      links: all === undefined ? [] : [{ label: 'Acknowledge all', url: all }],
    };
  }
  const { headline, lines, links } = answersOf(only);
  const title = cut(headline, maxTitleLength);
  return { title, lines: fitting(lines.map(lineText), maxLength - title.length), links };
}

/** A line of a message as text. */
export function lineText({ label, text }: Pick<AnswerLine, 'label' | 'text'>): string {
  return `${label}: ${text}`;
}

/** The message as one text, the links last. */
export function joined({ title, lines, links }: ChatText): string {
  return [title, ...lines, ...links.map(linkText)].join('\n');
}

/** A link as a line of text. */
export function linkText({ label, url }: MessageLink): string {
  return `${label}: ${url}`;
}

function fitting(lines: readonly string[], maxLength: number): readonly string[] {
  if (lines.reduce((sum, line) => sum + line.length + 1, 0) <= maxLength) return lines;
  const fitted: string[] = [];
  let left = maxLength - reserve;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    fitted.push(line);
  }
  return [...fitted, `and ${lines.length - fitted.length} more`];
}
