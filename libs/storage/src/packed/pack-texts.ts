import { type ByteReader, PackedBytesError, sizeBytes } from './byte-reader.ts';
import { packNumbers, unpackNumbers } from './pack-numbers.ts';

/** Replaces a number in a pattern. PostgreSQL stores no text with this character. */
const blank = '\0';
const maxPatterns = 65_536;
const maxBlanks = 4_096;
/** Of all texts of a column together. */
const maxCharacters = 32 * 1024 * 1024;

/**
 * Texts as bytes: each distinct pattern once, and for each text the index of its pattern, from 1. A pattern is the text
 * without its numbers ("answered in ␀ ms"); the numbers of a pattern are columns of numbers. Null has the index 0.
 * Undefined where the texts are too long.
 */
export function packTexts(texts: readonly (string | null)[]): readonly Uint8Array[] | undefined {
  const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (characters > maxCharacters || texts.length > maxPatterns) return undefined;
  const isFew = new Set(texts).size <= 1 + texts.length / 32;
  const found = texts.map((text) =>
    text === null ? undefined : isFew ? { pattern: text, numbers: [] } : split(text),
  );
  const patterns = new Map<string, number[][]>();
  for (const text of found) {
    if (text === undefined) continue;
    const columns = patterns.get(text.pattern) ?? text.numbers.map(() => []);
    patterns.set(text.pattern, columns);
    for (const [i, number] of text.numbers.entries()) columns[i]?.push(number);
  }
  const indexes = new Map([...patterns.keys()].map((pattern, i) => [pattern, i + 1]));
  const dictionary = [...patterns.keys()].flatMap((pattern) => {
    const bytes = Buffer.from(pattern, 'utf8');
    return [sizeBytes(bytes.length), bytes];
  });
  return [
    sizeBytes(patterns.size),
    ...dictionary,
    ...packNumbers(found.map((text) => (text === undefined ? 0 : (indexes.get(text.pattern) ?? 0)))),
    ...[...patterns.values()].flatMap((columns) => columns.flatMap(packNumbers)),
  ];
}

/** The `count` texts that `packTexts` stored. Throws a PackedBytesError. */
export function unpackTexts(reader: ByteReader, count: number): (string | null)[] {
  const patterns = Array.from({ length: reader.size(Math.min(count, maxPatterns)) }, () => {
    const pattern = Buffer.from(reader.bytes(reader.size(maxCharacters * 3))).toString('utf8');
    const pieces = pattern.split(blank);
    if (pieces.length > maxBlanks + 1) throw new PackedBytesError('a pattern has too many numbers');
    return pieces;
  });
  const indexes = unpackNumbers(reader, count);
  const users = patterns.map(() => 0);
  for (const index of indexes) if (index > 0) users[index - 1] = (users[index - 1] ?? 0) + 1;
  const numbers = patterns.map((pieces, i) =>
    pieces.slice(1).map(() => unpackNumbers(reader, users[i] ?? 0)),
  );
  const used = patterns.map(() => 0);
  let characters = 0;
  return indexes.map((index) => {
    if (index === 0) return null;
    const pieces = patterns[index - 1];
    if (pieces === undefined) throw new PackedBytesError(`there is no pattern ${index} of texts`);
    const user = used[index - 1] ?? 0;
    used[index - 1] = user + 1;
    const text = pieces.reduce(
      (joined, piece, i) => `${joined}${numbers[index - 1]?.[i - 1]?.[user] ?? 0}${piece}`,
    );
    characters += text.length;
    if (characters > maxCharacters) throw new PackedBytesError('the texts are too long');
    return text;
  });
}

/** Cuts the numbers out of a text. Numbers that JavaScript would spell differently stay in the pattern. */
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
