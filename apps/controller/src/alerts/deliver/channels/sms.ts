import { type AnswerLine, answersOf } from './answers.ts';
import type { Channel, Notice } from './channel.ts';
import { capital, factText } from './fact-text.ts';
import { countsOf, lineOf, worstFirst } from './headline.ts';
import { createHttpChannel, type HttpSettings } from './http-channel.ts';
import { composeTemplate, requestOfTemplate, type TemplateText } from './templated.ts';

/** More parts cost more and arrive out of order. */
const mostParts = 3;

/** The body of gateways that take JSON with a number and a text. */
const defaultBody = '{"to": "{{To}}", "text": "{{Text}}"}';

/**
 * SMS by the HTTP interface of a gateway: a POST whose body is the contact's template. A message says what, why, since,
 * from where, what else and what to do (the link to acknowledge), or names as many devices as three parts of an SMS
 * hold.
 */
export function createSms(settings: HttpSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices, options) => composeTemplate(notices, options, { ...smsText(notices), defaultBody }),
    requestOf: requestOfTemplate,
    gone: [400, 401, 403, 404, 410],
  });
}

/** The text, and whether the link to acknowledge follows it: together at most three parts. Pure. */
function smsText(notices: readonly Notice[]): TemplateText {
  const [only, ...more] = notices;
  if (only === undefined) return { text: 'Vantage', hasLink: false };
  if (more.length === 0) {
    const { headline, lines, links } = answersOf(only);
    const said = lines
      .filter(isForSms)
      .map(({ label, text }) => (label === 'From where' ? `${capital(text)}.` : `${label}: ${text}.`));
    const name = factText(only.data['FullName']);
    const named = name === undefined || headline.includes(name) ? [] : [`Name: ${name}.`];
    if (links.length === 0)
      return { text: fitSms([headline, ...named, ...said].join(' '), mostParts), hasLink: false };
    return textBeforeLink([[headline, ...named, ...said], [headline, ...said], [headline]]);
  }
  return { text: groupText(notices), hasLink: false };
}

/** The first of these texts that leaves room for the link, else the last one without it. */
function textBeforeLink(texts: readonly (readonly string[])[]): TemplateText {
  const joined = texts.map((sentences) => simplified(sentences.join(' ')));
  const text = joined.find((each) => smsSize(`${each}${roomOfLink}`).parts <= mostParts);
  return text === undefined
    ? { text: fitSms(joined.at(-1) ?? '', mostParts), hasLink: false }
    : { text, hasLink: true };
}

/** The link is signed when the message leaves. It takes 91 characters after the controller's address. */
const roomOfLink = ` Acknowledge: ${'x'.repeat(150)}`;

/** A trace needs a page, and three parts are too few for what needs no act. */
function isForSms({ question, label, text }: AnswerLine): boolean {
  if (question === 'next') return label === 'What to do' && !text.startsWith('nothing');
  return question === 'else' || (question === 'where' && label !== 'Trace');
}

/** The worst ones that fit, and how many do not. */
function groupText(notices: readonly Notice[]): string {
  const lines = worstFirst(notices).map((notice) => simplified(lineOf(notice)));
  let text = fitSms(`${countsOf(notices)}.`, mostParts);
  for (const [place, line] of lines.entries()) {
    const rest = lines.length - place - 1;
    const next = `${text}\n${line}`;
    const full = rest === 0 ? next : `${next}\nand ${rest} more`;
    if (smsSize(full).parts > mostParts) return `${text}\nand ${lines.length - place} more`;
    text = next;
  }
  return text;
}

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
interface SmsSize {
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
