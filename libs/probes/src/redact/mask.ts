import { isJsonList, type Json } from '@vantage/domain';
import { encodingsOf, literally, prefixesOf } from './secret-forms.ts';

/** Replaces secrets by `***`. */
export interface Mask {
  /**
   * Adds a secret. It is found in any letter case: plain, escaped (percents, JSON, HTML, control characters in the form
   * of a transcript, UTF-8 read as Latin-1), in hex, and in Base64 even as a part of a longer text. If a text was cut
   * off within a secret, its start is masked too. Secrets of less than 3 characters are ignored.
   */
  add(secret: string): void;
  text(text: string): string;
  json(json: Json): Json;
}

/** The mask of a check without secrets. */
export const noMask: Pick<Mask, 'text' | 'json'> = { text: (text) => text, json: (json) => json };

/** From this length on, a text counts as cut off even without an ellipsis. */
const minCutLength = 200;
const ellipsis = '…';

/** Creates the mask of one check. */
export function createMask(secrets: Iterable<string>): Mask {
  const values = new Set<string>();
  let compiled: { readonly pattern: RegExp; readonly prefixes: readonly string[] } | undefined;
  const add = (secret: string) => {
    if (secret.length < 3 || values.has(secret)) return;
    values.add(secret);
    compiled = undefined;
  };
  /** Compiled on first use: most checks have no secrets, and few have many texts. */
  const compile = () => {
    if (compiled !== undefined) return compiled;
    const forms = [...new Set([...values].flatMap(encodingsOf))].sort((a, b) => b.length - a.length);
    compiled = {
      pattern: new RegExp(forms.map(literally).join('|'), 'gi'),
      prefixes: [...values].flatMap(prefixesOf),
    };
    return compiled;
  };
  const text = (shown: string) => {
    if (values.size === 0) return shown;
    const { pattern, prefixes } = compile();
    return maskCuts(shown.replace(pattern, '***'), prefixes);
  };
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isJsonList(value)) return value.map(json);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), json(item)]));
  };
  for (const secret of secrets) add(secret);
  return { add, text, json: (value) => (values.size === 0 ? value : json(value)) };
}

function maskCuts(shown: string, prefixes: readonly string[]): string {
  const isLong = shown.length >= minCutLength;
  if (!isLong && !shown.includes(ellipsis)) return shown;
  const parts = shown.split(ellipsis);
  return parts
    .map((part, n) => (n < parts.length - 1 || isLong ? maskEnd(part, prefixes) : part))
    .join(ellipsis);
}

const minCutPrefix = 4;
const maxCutPrefix = 512;

/** Masks the start of a secret (4 characters or more) at the end of a text. */
function maskEnd(part: string, prefixes: readonly string[]): string {
  const end = part.slice(-maxCutPrefix).toLowerCase();
  for (const form of prefixes) {
    for (let length = Math.min(form.length - 1, end.length); length >= minCutPrefix; length -= 1) {
      if (end.endsWith(form.slice(0, length))) return `${part.slice(0, -length)}***`;
    }
  }
  return part;
}
