import { jsonShape, parseJson } from '@vantage/kernel';
import { toText } from './column-values.ts';

/** Deeper JSON is refused, because readers that descend by recursion (PostgreSQL's is one) have a limit. */
const deepestJson = 64;

/**
 * A text with one of these may have to be rewritten: an escape by code, an exponent, so many digits that the number
 * may exceed a float8 without one. Inside of a string the last two mean nothing; the text is then rewritten in vain.
 */
const suspicious = /\\u|\d[eE]|\d{300}/;

/**
 * JSON text of an object that a `jsonb` column accepts and every reader of the column can parse. It is at most 64
 * levels deep. Every number fits into a float8 (an underflow becomes 0). In texts and keys each NUL and each half of a
 * surrogate pair becomes U+FFFD. Undefined when the text is no JSON object, is too long (UTF-16 units) or too deep, or
 * has a number beyond a float8. Pure; depth is checked before parsing.
 */
export function readJsonObject(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength) return undefined;
  if (jsonShape(text).depth > deepestJson) return undefined;
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
