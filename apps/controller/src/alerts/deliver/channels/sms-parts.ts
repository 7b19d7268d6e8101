/** GSM 03.38's default alphabet (3GPP TS 23.038 section 6.2.1): seven bits a character. */
const basic = new Set(
  `@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà`,
);
/** Its extension table: two places each. */
const extended = new Set('^{}\\[~]|€\f');

/** Marks of typesetters, each with what says the same in the default alphabet. */
const alike: ReadonlyMap<string, string> = new Map([
  ...Array.from('“”„«»', (mark) => [mark, '"'] as const),
  ...Array.from('‘’‚`´', (mark) => [mark, "'"] as const),
  ...Array.from('–—‐‑−', (mark) => [mark, '-'] as const),
  ['…', '...'],
  ['·', '-'],
  ['•', '-'],
  ['→', '->'],
  ['×', 'x'],
  ['\u00a0', ' '],
  ['\t', ' '],
]);

/** How a text is sent: the alphabet, how many of its places the text takes, and in how many parts. */
export interface SmsSize {
  readonly alphabet: 'GSM-7' | 'UCS-2';
  readonly places: number;
  readonly parts: number;
}

/** Places of an SMS alone, and of each of several (3GPP TS 23.040 section 9.2.3.24.1: a header takes the rest). */
const limits = { 'GSM-7': [160, 153], 'UCS-2': [70, 67] } as const;

/** The size of a text as an SMS. Pure. */
export function smsSize(text: string): SmsSize {
  const characters = Array.from(text);
  const isGsm = characters.every((one) => basic.has(one) || extended.has(one));
  const alphabet = isGsm ? 'GSM-7' : 'UCS-2';
  const places = isGsm ? characters.reduce((sum, one) => sum + (extended.has(one) ? 2 : 1), 0) : text.length;
  const [alone, each] = limits[alphabet];
  return { alphabet, places, parts: places <= alone ? 1 : Math.ceil(places / each) };
}

/** The text with marks of typesetters as the default alphabet has them. Pure. */
export function simplified(text: string): string {
  return Array.from(text, (one) => alike.get(one) ?? one).join('');
}

/** The longest begin of a text that fits into so many parts; one that is cut ends after a word, with `...`. Pure. */
export function fitSms(text: string, mostParts: number): string {
  const simple = simplified(text).toWellFormed();
  if (smsSize(simple).parts <= mostParts) return simple;
  const characters = Array.from(simple);
  const shorter = (length: number) => `${characters.slice(0, length).join('').trimEnd()}...`;
  // A part of a text may need fewer places a character than the whole, never more.
  let [fits, tooLong] = [0, characters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (smsSize(shorter(middle)).parts <= mostParts) fits = middle;
    else tooLong = middle;
  }
  const kept = characters.slice(0, fits).join('');
  const word = kept.search(/\s\S*$/);
  return shorter(word > 0 && fits - word < longestWord ? Array.from(kept.slice(0, word)).length : fits);
}

/** A longer word, such as an address, is cut in its middle. */
const longestWord = 30;
