import type { Json } from './probe.ts';

/** Replaces secrets by `***` wherever they show. */
export interface Mask {
  /** One more secret; its Base64, percent-encoded and JSON-escaped forms are masked too. Shorter than 3 characters: ignored. */
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
    forms.add(secret);
    forms.add(bytes.toString('base64'));
    forms.add(bytes.toString('base64url'));
    forms.add(encodeURIComponent(secret.toWellFormed()));
    forms.add(JSON.stringify(secret).slice(1, -1));
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
