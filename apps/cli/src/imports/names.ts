import { createHash } from 'node:crypto';
import { cleanLine } from '@vantage/domain';

const shortest = 8;
const longestName = 1000;
const longestKey = 128;
/** Letters that do not fall apart into a Latin letter and marks. */
const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  ø: 'o',
  Ø: 'O',
  œ: 'oe',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  ı: 'i',
};

/** Gives each text a unique form; texts that people read as the same count as the same. */
export function createUniqueNames(): (
  wish: string,
  variant: (count: number) => string,
) => { readonly name: string; readonly changed: boolean } {
  const taken = new Set<string>();
  return (wish, variant) => {
    let name = wish;
    for (let count = 2; taken.has(asRead(name)); count += 1) name = variant(count);
    taken.add(asRead(name));
    return { name, changed: name !== wish };
  };
}

/** A text without what people do not see a difference in: letter case, composition, blanks. */
export function asRead(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** One line for people: `FullName`. */
export function lineOf(text: string): string {
  return cleanLine(text).normalize('NFC').trim().slice(0, longestName).toWellFormed();
}

/**
 * Up to 8 letters, digits or '-': the words of a name, shortened evenly from the longest on; '' where it has none of
 * these.
 */
export function shorten(name: string): string {
  const words = plainWords(name);
  const dashed = words.join('-');
  if (dashed.length <= shortest) return dashed;
  const kept = words.slice(0, shortest);
  while (kept.join('').length > shortest) {
    const longest = Math.max(...kept.map(({ length }) => length));
    const at = kept.findLastIndex(({ length }) => length === longest);
    kept[at] = kept[at]?.slice(0, -1) ?? '';
  }
  return kept.join('');
}

/** A short name with a number at its end, within 8 characters. */
export function numbered(short: string, count: number): string {
  const end = `-${count}`;
  return `${short.slice(0, shortest - end.length)}${end}`;
}

function plainWords(name: string): string[] {
  const latin = name.replaceAll(/\P{ASCII}/gu, (letter) => spelled[letter] ?? letter);
  return (
    latin
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[A-Za-z0-9]+/g) ?? []
  );
}

/** The ExternalKey of a thing: its own identity, cut with a hash where it is too long. */
export function keyOf(identity: string): string {
  const key = identity.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  if (key.length <= longestKey) return key === '' ? 'unnamed' : key;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return `${key.slice(0, longestKey - 13).trimEnd()}~${hash}`;
}
