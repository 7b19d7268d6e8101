import { type AnswerLine, answersOf, type MessageLink } from './answers.ts';
import type { Notice } from './channel.ts';
import { cut } from './fact-text.ts';
import { acknowledgeAllOf, countsOf, lineOf, worstFirst } from './headline.ts';

/** A message for a chat, without markup. */
export interface ChatText {
  /** What, why and since in one line; of several notices how many of each kind. */
  readonly title: string;
  /** The facts of one notice, or a line for each of several. */
  readonly lines: readonly string[];
  readonly links: readonly MessageLink[];
}

/** The longest title. */
const longestTitle = 600;
/** Place for the last line: "and 12345 more". */
const reserve = 20;

/**
 * The message for a chat. Title and lines, joined by line ends, have at most `most` (700 and more) UTF-16 units; the
 * last line counts what does not fit. Links are apart from that. Pure.
 */
export function chatText(notices: readonly Notice[], most: number): ChatText {
  const [only, ...more] = notices;
  if (only === undefined) return { title: 'Vantage', lines: [], links: [] };
  if (more.length > 0) {
    const all = acknowledgeAllOf(notices);
    const title = `${countsOf(notices)}.`;
    return {
      title,
      lines: fitting(worstFirst(notices).map(lineOf), most - title.length),
      links: all === undefined ? [] : [{ label: 'Acknowledge all', url: all }],
    };
  }
  const { headline, lines, links } = answersOf(only);
  const title = cut(headline, longestTitle);
  return { title, lines: fitting(lines.map(lineText), most - title.length), links };
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

/**
 * Title and lines for a chat that formats Markdown, with the links last. `quiet` takes a text so that it formats and
 * mentions nothing.
 */
export function markdownLines(
  notices: readonly Notice[],
  most: number,
  quiet: (text: string) => string,
): { readonly title: string; readonly lines: readonly string[] } {
  const { title, lines, links } = chatText(notices, most);
  return {
    title,
    lines: [...lines.map(quiet), ...(links.length === 0 ? [] : [links.map(markdownLink).join(' | ')])],
  };
}

function markdownLink({ label, url }: MessageLink): string {
  return `[${label}](${url})`;
}

/**
 * A text in which Markdown finds nothing to format: the marks that all its dialects let a backslash escape are escaped.
 */
export function escapedMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()>#+.!-]/g, (mark) => `\\${mark}`);
}

/** `@` followed by a character without width: a name can mention nobody. */
export function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b');
}
