import type { MessageLink } from './answers.ts';
import type { Notice } from './channel.ts';
import { chatText } from './chat-text.ts';

/**
 * Title and lines for a chat that formats Markdown, with the links last. `quiet` escapes a text so that it formats and
 * mentions nothing.
 */
export function linesAsMarkdown(
  notices: readonly Notice[],
  most: number,
  quiet: (text: string) => string,
): { readonly title: string; readonly lines: readonly string[] } {
  const { title, lines, links } = chatText(notices, most);
  return {
    title,
    lines: [...lines.map(quiet), ...(links.length === 0 ? [] : [links.map(linkAsMarkdown).join(' | ')])],
  };
}

function linkAsMarkdown({ label, url }: MessageLink): string {
  return `[${label}](${url})`;
}

/**
 * Escapes the characters that every dialect of Markdown lets a backslash escape, so that the text formats nothing.
 */
export function escapedMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()>#+.!-]/g, (character) => `\\${character}`);
}

/** Puts a zero-width character after each `@`, so that a name mentions no user. */
export function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b');
}
