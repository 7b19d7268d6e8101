import type { Json } from '@vantage/domain';
import { encodingsOf, prefixesOf } from './encodings.ts';

/** Replaces secrets by `***` wherever they show. */
export interface Mask {
  /**
   * One more secret. It is found in any letter case, as it stands, escaped (percents, JSON, HTML, control characters as
   * a transcript writes them, UTF-8 read as Latin-1), in hex, and in Base64 also as a part of something longer. Where a
   * text was cut off within a secret, its beginning is masked too. Shorter than 3 characters: ignored.
   */
  add(secret: string): void;
  text(text: string): string;
  json(json: Json): Json;
}

/** Of a text without a sign that it was cut, the end is taken for a cut from this length on. */
const longText = 200;
const cutMark = '…';

/** Creates the mask of one check. */
export function createMask(secrets: Iterable<string>): Mask {
  const held = new Set<string>();
  let ready: { readonly pattern: RegExp; readonly beginnings: readonly string[] } | undefined;
  const add = (secret: string) => {
    if (secret.length < 3 || held.has(secret)) return;
    held.add(secret);
    ready = undefined;
  };
  /** Made when first needed: most checks have none, and few have many texts. */
  const made = () => {
    if (ready !== undefined) return ready;
    const forms = [...new Set([...held].flatMap(encodingsOf))].sort((a, b) => b.length - a.length);
    ready = {
      pattern: new RegExp(forms.map(literally).join('|'), 'gi'),
      beginnings: [...held].flatMap(prefixesOf),
    };
    return ready;
  };
  const text = (shown: string) => {
    if (held.size === 0) return shown;
    const { pattern, beginnings } = made();
    return maskCuts(shown.replace(pattern, '***'), beginnings);
  };
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) return value.map(json);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [text(key), json(each)]));
  };
  for (const secret of secrets) add(secret);
  return { add, text, json: (value) => (held.size === 0 ? value : json(value)) };
}

function maskCuts(shown: string, beginnings: readonly string[]): string {
  const isLong = shown.length >= longText;
  if (!isLong && !shown.includes(cutMark)) return shown;
  const parts = shown.split(cutMark);
  return parts
    .map((part, n) => (n < parts.length - 1 || isLong ? maskEnd(part, beginnings) : part))
    .join(cutMark);
}

const least = 4;
const most = 512;

/** A beginning of a secret (4 characters or more) at the end of a text. */
function maskEnd(part: string, beginnings: readonly string[]): string {
  const end = part.slice(-most).toLowerCase();
  for (const form of beginnings) {
    for (let length = Math.min(form.length - 1, end.length); length >= least; length -= 1) {
      if (end.endsWith(form.slice(0, length))) return `${part.slice(0, -length)}***`;
    }
  }
  return part;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
