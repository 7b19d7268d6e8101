import { jsonShape, parseJson } from '@vantage/kernel';
import { toText } from './column-values.ts';

/** Recursive readers, such as PostgreSQL's, have a limit of depth. */
const maxJsonDepth = 64;

/**
 * A text with one of these may have to be rewritten: an escape by code, an exponent, or digits enough for a number that
 * may exceed a float8. Inside a string the last two are harmless; the text is then rewritten unnecessarily.
 */
const suspicious = /\\u|\d[eE]|\d{300}/;

/**
 * JSON text of an object that a `jsonb` column accepts and every reader of the column can parse: at most 64 levels
 * deep, and every number fits into a float8 (an underflow becomes 0). In texts and keys each NUL and each half of a
 * surrogate pair becomes U+FFFD. Undefined when the text is no JSON object, is too long (UTF-16 units) or too deep, or
 * has a number beyond a float8. Pure. The depth is checked before parsing.
 */
export function readJsonObject(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength) return undefined;
  if (jsonShape(text).depth > maxJsonDepth) return undefined;
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (text.isWellFormed() && !suspicious.test(text)) return text;
  const found = { isFinite: true };
  const rewritten = JSON.stringify(value, (_key, inner: unknown) => normalize(inner, found));
  return found.isFinite ? rewritten : undefined;
}

function normalize(value: unknown, found: { isFinite: boolean }): unknown {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) found.isFinite = false;
    return value;
  }
  if (typeof value === 'string') return toText(value, value.length);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toText(key, key.length), inner]));
}
