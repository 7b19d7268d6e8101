import { answersOf } from './answers.ts';
import type { Notice } from './channel.ts';
import { lineText, linkText } from './chat-text.ts';

/** The whole message of one notice as text, for a field of a system that keeps incidents. */
export function descriptionOf(notice: Notice): string {
  const { headline, lines, links } = answersOf(notice);
  return [headline, ...lines.map(lineText), ...links.map(linkText)].join('\n');
}
