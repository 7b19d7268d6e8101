import type { MessageLink } from './answers.ts';
import type { Notice } from './channel.ts';
import { chatText } from './chat-text.ts';

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
