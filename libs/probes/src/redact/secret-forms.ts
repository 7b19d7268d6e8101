import { escapeHtml } from '@vantage/kernel';
import { printable } from '../contract/display.ts';

/**
 * Of a longer secret, only the text itself and its lines are searched, because programs repeat a key file unchanged or
 * not at all.
 */
const maxEncoded = 1024;
/** A shorter part of a Base64 text or a line reveals little, and masking it would hide much else. */
const minPart = 6;
const minLine = 16;

/**
 * The forms in which programs repeat a secret, the secret itself first. The search ignores letter case. The forms are
 * plain texts, so that no answer can make the search slow.
 */
export function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const forms = [secret, ...spellings(secret), ...spellings(bytes.toString('latin1'))];
  if (secret.length > maxEncoded) return distinct([...forms, ...linesOf(secret)]);
  const whole = bytes.toString('base64');
  const parts = [1, 2, 0].map((offset) => base64Core(bytes, offset)).filter((part) => part.length >= minPart);
  const base64 = [whole, whole.replace(/=+$/, ''), ...parts].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(form),
  ]);
  return distinct([...forms, ...base64, bytes.toString('hex'), ...linesOf(secret)]);
}

/** Lowercase forms of a secret. A text that was cut off within the secret may end with the start of one of them. */
export function prefixesOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret.slice(0, maxEncoded), 'utf8');
  return [secret.slice(0, maxEncoded), ...[0, 1, 2].map((offset) => base64Core(bytes, offset))]
    .map((form) => form.toLowerCase())
    .filter((form) => form.length > minPart);
}

function spellings(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const percents = encodeURIComponent(text.toWellFormed());
  const path = encodeURI(text.toWellFormed());
  const allPercents = percents.replace(/[!'()*~]/g, percent);
  const html = escapeHtml(text);
  return [
    text,
    printable(text),
    // in a line for people
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
    html.replaceAll('&#39;', "'"),
    html.replaceAll('&#39;', '&#x27;'),
    html.replaceAll('&#39;', '&apos;'),
    text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
    text.replace(/[^a-z0-9]/gi, (char) => `&#${char.charCodeAt(0)};`),
    text.replace(/[^a-z0-9]/gi, (char) => `&#x${char.charCodeAt(0).toString(16)};`),
  ];
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16)}`;
}

/**
 * The characters of a Base64 text that depend only on these bytes, if `offset` bytes precede them in their group of
 * three.
 */
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function linesOf(secret: string): readonly string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= minLine);
}

function distinct(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].filter((form) => form.length > 2);
}

/** Escapes a text for a regular expression. */
export function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
