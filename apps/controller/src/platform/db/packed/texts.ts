import { type ByteReader, PackedBytesError, sizeBytes } from './byte-reader.ts';
import { packNumbers, unpackNumbers } from './numbers.ts';

/** Stands for a number in a pattern. PostgreSQL stores no text with this character. */
const blank = '\0';
const maxPatterns = 65_536;
const maxBlanks = 4_096;
/** The most characters of all texts of a column together. */
const mostCharacters = 32 * 1024 * 1024;

/**
 * Texts as bytes: each different pattern of text once, and for each text the place of its pattern. A pattern is the
 * text without its numbers ("answered in ␀ ms"); the numbers of a pattern are columns of numbers. Null has the place 0.
 * Undefined where the texts are too long.
 */
export function packTexts(texts: readonly (string | null)[]): readonly Uint8Array[] | undefined {
  const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (characters > mostCharacters || texts.length > maxPatterns) return undefined;
  const isFew = new Set(texts).size <= 1 + texts.length / 32;
  const found = texts.map((text) =>
    text === null ? undefined : isFew ? { pattern: text, numbers: [] } : split(text),
  );
  const patterns = new Map<string, number[][]>();
  for (const one of found) {
    if (one === undefined) continue;
    const columns = patterns.get(one.pattern) ?? one.numbers.map(() => []);
    patterns.set(one.pattern, columns);
    for (const [i, number] of one.numbers.entries()) columns[i]?.push(number);
  }
  const places = new Map([...patterns.keys()].map((pattern, i) => [pattern, i + 1]));
  const dictionary = [...patterns.keys()].flatMap((pattern) => {
    const bytes = Buffer.from(pattern, 'utf8');
    return [sizeBytes(bytes.length), bytes];
  });
  return [
    sizeBytes(patterns.size),
    ...dictionary,
    ...packNumbers(found.map((one) => (one === undefined ? 0 : (places.get(one.pattern) ?? 0)))),
    ...[...patterns.values()].flatMap((columns) => columns.flatMap(packNumbers)),
  ];
}

/** The `count` texts that `packTexts` stored. Throws a PackedBytesError. */
export function unpackTexts(reader: ByteReader, count: number): (string | null)[] {
  const patterns = Array.from({ length: reader.size(Math.min(count, maxPatterns)) }, () => {
    const pattern = Buffer.from(reader.bytes(reader.size(mostCharacters * 3))).toString('utf8');
    const pieces = pattern.split(blank);
    if (pieces.length > maxBlanks + 1) throw new PackedBytesError('a pattern has too many numbers');
    return pieces;
  });
  const places = unpackNumbers(reader, count);
  const users = patterns.map(() => 0);
  for (const place of places) if (place > 0) users[place - 1] = (users[place - 1] ?? 0) + 1;
  const numbers = patterns.map((pieces, i) =>
    pieces.slice(1).map(() => unpackNumbers(reader, users[i] ?? 0)),
  );
  const used = patterns.map(() => 0);
  let characters = 0;
  return places.map((place) => {
    if (place === 0) return null;
    const pieces = patterns[place - 1];
    if (pieces === undefined) throw new PackedBytesError(`there is no pattern ${place} of texts`);
    const user = used[place - 1] ?? 0;
    used[place - 1] = user + 1;
    const text = pieces.reduce(
      (joined, piece, i) => `${joined}${numbers[place - 1]?.[i - 1]?.[user] ?? 0}${piece}`,
    );
    characters += text.length;
    if (characters > mostCharacters) throw new PackedBytesError('the texts are too long');
    return text;
  });
}

/** Cuts the numbers out of a text; numbers that are not spelled as JavaScript spells them stay in the pattern. */
function split(text: string): { readonly pattern: string; readonly numbers: readonly number[] } {
  const numbers: number[] = [];
  const pattern = text.replaceAll(/\d{1,9}(?:\.\d{1,3})?(?![\d.])/g, (spelled) => {
    const value = Number(spelled);
    if (String(value) !== spelled || numbers.length === maxBlanks) return spelled;
    numbers.push(value);
    return blank;
  });
  return { pattern, numbers };
}
