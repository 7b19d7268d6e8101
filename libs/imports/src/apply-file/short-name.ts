const maxLength = 8;
/** Letters that Unicode does not decompose into a Latin letter and accents. */
const latinLetters: Readonly<Record<string, string>> = {
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

/**
 * Shortens a name to 8 letters, digits or '-'. The longest of its words loses its last letter until all fit. '' where
 * the name has no letter or digit.
 */
export function shorten(name: string): string {
  const words = plainWords(name);
  const dashed = words.join('-');
  if (dashed.length <= maxLength) return dashed;
  const shortened = words.slice(0, maxLength);
  while (shortened.join('').length > maxLength) {
    const longest = Math.max(...shortened.map(({ length }) => length));
    const index = shortened.findLastIndex(({ length }) => length === longest);
    shortened[index] = shortened[index]?.slice(0, -1) ?? '';
  }
  return shortened.join('');
}

/** A short name with a number at its end, still within 8 characters. */
export function numbered(shortName: string, count: number): string {
  const suffix = `-${count}`;
  return `${shortName.slice(0, maxLength - suffix.length)}${suffix}`;
}

function plainWords(name: string): string[] {
  const latin = name.replaceAll(/\P{ASCII}/gu, (letter) => latinLetters[letter] ?? letter);
  return (
    latin
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[A-Za-z0-9]+/g) ?? []
  );
}
