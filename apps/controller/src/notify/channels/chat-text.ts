import type { Notice } from './channel.ts';
import { acknowledgeAllOf, factLines, lineOf, subjectOf, titleOf } from './email-text.ts';

/** A message for a chat, without links and without markup. */
interface ChatText {
  readonly title: string;
  /** The facts of one notice, or a line for each of several. */
  readonly lines: readonly string[];
}

/** A name has at most 200 characters; a damaged row may hold a longer one. */
const longestTitle = 300;
/** Place for the last line: "and 12345 more". */
const reserve = 20;

/**
 * The message for a chat. Title and lines, joined by line ends, have at most `most` (400 and more) UTF-16 units; the last line counts what
 * does not fit. Pure.
 */
export function chatText(notices: readonly Notice[], most: number): ChatText {
  const [only, ...more] = notices;
  if (only === undefined) return { title: 'Vantage', lines: [] };
  const isOne = more.length === 0;
  const title = `${(isOne ? titleOf(only) : subjectOf(notices)).slice(0, longestTitle).toWellFormed()}.`;
  const facts = factLines(only).map(({ label, text }) => `${label}: ${text}`);
  const all = acknowledgeAllOf(notices);
  const act = all === undefined ? [] : [`Acknowledge all: ${all}`];
  const lines = isOne ? [`Time: ${only.timestamp}`, ...facts] : [...act, ...notices.map(lineOf)];
  return { title, lines: fitting(lines, most - title.length) };
}

/** The message as one text. */
export function joined({ title, lines }: ChatText): string {
  return [title, ...lines].join('\n');
}

function fitting(lines: readonly string[], most: number): readonly string[] {
  if (lines.reduce((sum, line) => sum + line.length + 1, 0) <= most) return lines;
  const kept: string[] = [];
  let left = most - reserve;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return [...kept, `and ${lines.length - kept.length} more`];
}
