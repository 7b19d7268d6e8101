/** GSM 03.38's default alphabet (3GPP TS 23.038 section 6.2.1): seven bits a character. */
const basic = new Set(
  `@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà`,
);
/** The extension table of that alphabet: two units each. */
const extended = new Set('^{}\\[~]|€\f');

/** Typographic characters, each with its replacement in the default alphabet. */
const alike: ReadonlyMap<string, string> = new Map([
  ...Array.from('“”„«»', (character) => [character, '"'] as const),
  ...Array.from('‘’‚`´', (character) => [character, "'"] as const),
  ...Array.from('–—‐‑−', (character) => [character, '-'] as const),
  ['…', '...'],
  ['·', '-'],
  ['•', '-'],
  ['→', '->'],
  ['×', 'x'],
  ['\u00a0', ' '],
  ['\t', ' '],
]);

/** The size of a text: its alphabet, the units of that alphabet that it needs, and the number of parts. */
interface SmsSize {
  readonly alphabet: 'GSM-7' | 'UCS-2';
  readonly units: number;
  readonly parts: number;
}

/** Units of a single SMS, and of each part of several (3GPP TS 23.040 section 9.2.3.24.1: a header takes the rest). */
const limits = { 'GSM-7': [160, 153], 'UCS-2': [70, 67] } as const;

/** The size of a text as an SMS. Pure. */
export function smsSize(text: string): SmsSize {
  const characters = Array.from(text);
  const isGsm = characters.every((one) => basic.has(one) || extended.has(one));
  const alphabet = isGsm ? 'GSM-7' : 'UCS-2';
  const units = isGsm ? characters.reduce((sum, one) => sum + (extended.has(one) ? 2 : 1), 0) : text.length;
  const [single, perPart] = limits[alphabet];
  return { alphabet, units, parts: units <= single ? 1 : Math.ceil(units / perPart) };
}

/** Replaces typographic characters by those of the default alphabet. Pure. */
export function simplified(text: string): string {
  return Array.from(text, (one) => alike.get(one) ?? one).join('');
}

/** The text, shortened to at most `maxParts`; a shortened text ends after a word, with `...`. Pure. */
export function fitSms(text: string, maxParts: number): string {
  const simple = simplified(text).toWellFormed();
  if (smsSize(simple).parts <= maxParts) return simple;
  const characters = Array.from(simple);
  const shorter = (length: number) => `${characters.slice(0, length).join('').trimEnd()}...`;
  // A part of a text may need fewer units per character than the whole, never more.
  let [fits, tooLong] = [0, characters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (smsSize(shorter(middle)).parts <= maxParts) fits = middle;
    else tooLong = middle;
  }
  const fitting = characters.slice(0, fits).join('');
  const word = fitting.search(/\s\S*$/);
  return shorter(word > 0 && fits - word < maxWordLength ? Array.from(fitting.slice(0, word)).length : fits);
}

/** A longer word, such as an address, is cut in its middle. */
const maxWordLength = 30;
