/**
 * Control characters, separators of lines and paragraphs (Unicode Cc, Zl, Zp), and characters that change the direction
 * of writing.
 */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const breaks = /[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu;
const unfitAll = new RegExp(unfit, 'gu');

/**
 * Whether a text is one line that looks the same everywhere. Names, descriptions and reasons appear in mail subjects,
 * logs and tables, where a line break or U+202E (UAX #9, section 2) would deceive the reader.
 */
export function isPlainLine(text: string): boolean {
  return !unfit.test(text);
}

/** The rule that `isPlainLine` checks, as text after the name of the field. */
export const plainLineRule =
  'must be one line without line breaks, control characters and marks that change the direction of writing (such as U+202E); accepted is for example: Web shop, Berlin';

/** A stored text for people: line breaks become spaces, other unfit characters are removed. */
export function cleanLine(text: string): string {
  return isPlainLine(text) ? text : text.replaceAll(breaks, ' ').replaceAll(unfitAll, '');
}
