import { printable } from '../dialogue/transcript.ts';

/** Entities of HTML that have a name; the others are numbers. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Above this length, only the text itself and its lines are searched, because programs repeat a key file unchanged or
 * not at all.
 */
const longest = 1024;
/** A shorter part of a Base64 text or a line reveals little, and masking it would hide much else. */
const leastPart = 6;
const leastLine = 16;

/**
 * The forms in which programs repeat what they were sent, the secret itself first. Letter case is left to who searches.
 * Plain texts, so that no answer can make the search slow.
 */
export function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const forms = [secret, ...spellings(secret), ...spellings(bytes.toString('latin1'))];
  if (secret.length > longest) return distinct([...forms, ...linesOf(secret)]);
  const whole = bytes.toString('base64');
  const parts = [1, 2, 0]
    .map((offset) => base64Core(bytes, offset))
    .filter((part) => part.length >= leastPart);
  const base64 = [whole, whole.replace(/=+$/, ''), ...parts].flatMap((each) => [
    each,
    each.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(each),
  ]);
  return distinct([...forms, ...base64, bytes.toString('hex'), ...linesOf(secret)]);
}

/** A text that was cut within a secret may end with a beginning of these, in small letters. */
export function prefixesOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret.slice(0, longest), 'utf8');
  return [secret.slice(0, longest), ...[0, 1, 2].map((offset) => base64Core(bytes, offset))]
    .map((form) => form.toLowerCase())
    .filter((form) => form.length > leastPart);
}

function spellings(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const percents = encodeURIComponent(text.toWellFormed());
  const path = encodeURI(text.toWellFormed());
  const allPercents = percents.replace(/[!'()*~]/g, percent);
  const html = text.replace(/[&<>"]/g, (each) => entities[each] ?? each);
  return [
    text,
    printable(text),
    // As a line for people.
    text.replace(/[\p{Cc}\s]+/gu, ' '),
    json,
    JSON.stringify(json).slice(1, -1),
    JSON.stringify(printable(text)).slice(1, -1),
    percents,
    path,
    allPercents,
    percents.replaceAll('%20', '+'),
    allPercents.replaceAll('%20', '+'),
    encodeURIComponent(percents),
    encodeURIComponent(allPercents),
    html,
    html.replaceAll("'", '&#39;'),
    html.replaceAll("'", '&#x27;'),
    html.replaceAll("'", '&apos;'),
    text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`),
    text.replace(/[^a-z0-9]/gi, (each) => `&#${each.charCodeAt(0)};`),
    text.replace(/[^a-z0-9]/gi, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
  ];
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16)}`;
}

/**
 * The characters of a Base64 text that depend on these bytes alone, when `offset` bytes stand before them in their
 * group of three.
 */
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function linesOf(secret: string): readonly string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= leastLine);
}

function distinct(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].filter((form) => form.length > 2);
}
