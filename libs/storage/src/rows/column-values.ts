/** The largest number of an `int` column. */
export const largestInt = 0x7fff_ffff;
/** A `bigint` column is read as a JavaScript number, so larger numbers, which would be rounded, are not stored. */
const largestBigint = Number.MAX_SAFE_INTEGER;

/** IEEE 754 binary32. PostgreSQL rejects larger values, and smaller ones except 0, as `real`. */
const largestReal = 3.4028234663852886e38;
const smallestReal = 1.1754943508222875e-38;

/**
 * A text that a `text` or `jsonb` column accepts: at most `maxLength` UTF-16 units; each NUL and each half of a
 * surrogate pair becomes U+FFFD. Pure.
 */
export function toText(text: string, maxLength: number): string {
  if (isText(text, maxLength)) return text;
  return text.slice(0, maxLength).replaceAll('\0', '\u{fffd}').toWellFormed();
}

/** Whether `toText` would leave the text as it is. Pure. */
export function isText(text: string, maxLength: number): boolean {
  return text.length <= maxLength && !text.includes('\0') && text.isWellFormed();
}

/** The nearest number that a `bigint` column accepts and JavaScript reads exactly. Pure. */
export function toBigint(value: bigint): number {
  return Number(value < -largestBigint ? -largestBigint : value > largestBigint ? largestBigint : value);
}

/** Whether `toBigint` would leave the number as it is. Pure. */
export function isBigint(value: bigint): boolean {
  return value >= -largestBigint && value <= largestBigint;
}

/** The nearest number that a `real` column accepts; NaN is 0. Pure. */
export function toReal(value: number): number {
  if (Number.isNaN(value) || Math.abs(value) < smallestReal) return 0;
  return Math.min(Math.max(value, -largestReal), largestReal);
}
