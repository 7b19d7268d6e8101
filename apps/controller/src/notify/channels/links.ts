import type { Notice } from './channel.ts';
import { chatText } from './chat-text.ts';
import { acknowledgeAllOf } from './email-text.ts';

/** A link of a message with what it does. */
export interface MessageLink {
  readonly label: string;
  readonly url: string;
}

/** The links of one notice. Texts of several have the one that acknowledges all of them. */
export function linksOf([notice, ...more]: readonly Notice[]): readonly MessageLink[] {
  if (notice?.links == null || more.length > 0) return [];
  const { acknowledge, snooze } = notice.links;
  return [
    { label: 'Acknowledge', url: acknowledge },
    { label: 'Snooze', url: snooze },
  ];
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
  const { title, lines } = chatText(notices, most);
  const all = acknowledgeAllOf(notices);
  const texts = lines.map((line) => (all !== undefined && line.endsWith(all) ? line : quiet(line)));
  const links = linksOf(notices).map(({ label, url }) => `[${label}](${url})`);
  return { title, lines: [...texts, ...(links.length === 0 ? [] : [links.join(' | ')])] };
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
