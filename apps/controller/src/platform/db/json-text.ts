import { parseJson } from '@vantage/kernel';
import { toText } from './column-values.ts';

/** Deeper JSON is refused, because readers that descend by recursion (PostgreSQL's is one) have a limit. */
const deepestJson = 64;

/** A longer run of digits may exceed a float8 without any exponent. */
const longDigits = 300;

/**
 * JSON text of an object that a `jsonb` column accepts and every reader of the column can parse. It is at most 64
 * levels deep. Every number fits into a float8 (an underflow becomes 0). In texts and keys each NUL and each half of a
 * surrogate pair becomes U+FFFD. Undefined when the text is no JSON object, is too long (UTF-16 units) or too deep, or
 * has a number beyond a float8. Pure; depth is checked before parsing.
 */
export function readJsonObject(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength) return undefined;
  const { depth, isPlain } = scan(text);
  if (depth > deepestJson) return undefined;
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (isPlain) return text;
  const found = { isFinite: true };
  const rewritten = JSON.stringify(value, (_key, inner: unknown) => normalize(inner, found));
  return found.isFinite ? rewritten : undefined;
}

/**
 * The depth of a JSON text. It is plain when it has no escape by code, no exponent and no long number, so that it needs
 * no second check.
 */
function scan(text: string): { readonly depth: number; readonly isPlain: boolean } {
  let depth = 0;
  let level = 0;
  let digits = 0;
  let isPlain = text.isWellFormed();
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charCodeAt(i);
    digits = char >= 0x30 && char <= 0x39 ? digits + 1 : 0;
    if (char === quote) {
      for (i += 1; i < text.length && text.charCodeAt(i) !== quote; i += 1) {
        if (text.charCodeAt(i) !== backslash) continue;
        i += 1;
        if (text.charCodeAt(i) === letterU) isPlain = false;
      }
    } else if (char === openBrace || char === openBracket) {
      level += 1;
      depth = Math.max(depth, level);
    } else if (char === closeBrace || char === closeBracket) level -= 1;
    else if (char === bigE || isExponent(text, i) || digits > longDigits) isPlain = false;
  }
  return { depth, isPlain };
}

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const bigE = 0x45;
const smallE = 0x65;

/** `true` and `false` have an e too; the e of a number follows a digit. */
function isExponent(text: string, i: number): boolean {
  const before = text.charCodeAt(i - 1);
  return text.charCodeAt(i) === smallE && before >= 0x30 && before <= 0x39;
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
