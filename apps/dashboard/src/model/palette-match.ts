/** Words of a query, in lower case. */
export const queryWords = (query: string): readonly string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** The rank of a match: 0 the text begins with the words, 1 they begin words of it, 2 it has them; undefined: none. */
export function matchRank(text: string, words: readonly string[]): number | undefined {
  const lower = text.toLowerCase();
  if (!words.every((word) => lower.includes(word))) return undefined;
  if (lower.startsWith(words.join(' '))) return 0;
  const isAtBegin = (word: string) =>
    lower.startsWith(word) || /[^\p{L}\p{N}]/u.test(lower[lower.indexOf(word) - 1] ?? '');
  return words.every(isAtBegin) ? 1 : 2;
}

/** The parts of a text, with those that match marked. */
export function markedParts(
  text: string,
  words: readonly string[],
): readonly { readonly text: string; readonly isMatch: boolean }[] {
  const lower = text.toLowerCase();
  // Some letters change their length in lower case; then nothing is marked.
  if (lower.length !== text.length || words.length === 0) return [{ text, isMatch: false }];
  const marked = Array.from({ length: text.length }, () => false);
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at >= 0) marked.fill(true, at, at + word.length);
  }
  const parts: { text: string; isMatch: boolean }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const last = parts.at(-1);
    if (last !== undefined && last.isMatch === marked[at]) last.text += text[at];
    else parts.push({ text: text[at] ?? '', isMatch: marked[at] ?? false });
  }
  return parts;
}

/** The actions on a device. */
export const deviceVerbs = [
  'acknowledge',
  'snooze',
  'check',
  'maintenance',
  'pause',
  'resume',
  'edit',
] as const;
export type DeviceVerb = (typeof deviceVerbs)[number];

const minLetters = 3;

/** The verb that a query names, and its other words: `pause core` pauses a device. */
export function verbOf(
  words: readonly string[],
): { readonly verb: DeviceVerb; readonly rest: readonly string[] } | undefined {
  for (const [at, word] of words.entries()) {
    const verb = word.length < minLetters ? undefined : deviceVerbs.find((each) => each.startsWith(word));
    if (verb !== undefined) return { verb, rest: words.filter((_, other) => other !== at) };
  }
  return undefined;
}
