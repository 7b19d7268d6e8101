import type { Json } from './probe.ts';

/** Replaces secrets by `***` wherever they show. */
export interface Mask {
  /**
   * One more secret. Its Base64, hex, percent-encoded (also twice, as a server does that repeats a URL) and JSON-escaped forms are masked
   * too, and each in small letters, as names are compared. Shorter than 3 characters: ignored.
   */
  add(secret: string): void;
  text(text: string): string;
  json(json: Json): Json;
}

/** Makes the mask of one check. */
export function createMask(secrets: Iterable<string>): Mask {
  const forms = new Set<string>();
  let longestFirst: readonly string[] = [];
  const add = (secret: string) => {
    if (secret.length < 3) return;
    const bytes = Buffer.from(secret, 'utf8');
    const encoded = encodeURIComponent(secret.toWellFormed());
    const escaped = JSON.stringify(secret).slice(1, -1);
    for (const form of [
      secret,
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      encoded,
      encodeURIComponent(encoded),
      escaped,
    ]) {
      forms.add(form);
      forms.add(form.toLowerCase());
    }
    longestFirst = [...forms].sort((a, b) => b.length - a.length);
  };
  const text = (shown: string) => longestFirst.reduce((left, form) => left.replaceAll(form, '***'), shown);
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) return value.map(json);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [text(key), json(each)]));
  };
  for (const secret of secrets) add(secret);
  return { add, text, json: (value) => (longestFirst.length === 0 ? value : json(value)) };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
