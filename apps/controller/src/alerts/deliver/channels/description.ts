import { type Answers, answersOf } from './answers.ts';
import type { Notice } from './channel.ts';
import { lineText, linkText } from './chat-text.ts';

/** The whole message of one notice as text, for a field of a system that keeps incidents. */
export function descriptionOf(notice: Notice): string {
  const { headline, lines, links } = answersOf(notice);
  return [headline, ...lines.map(lineText), ...links.map(linkText)].join('\n');
}

/**
 * The lines of a message by their labels, for a table of a system that keeps incidents. A label may stand several
 * times.
 */
export function detailsOf({ lines }: Answers): { readonly [label: string]: string } {
  const details: Record<string, string> = {};
  for (const { label, text } of lines)
    details[label] = details[label] === undefined ? text : `${details[label]}; ${text}`;
  return details;
}
