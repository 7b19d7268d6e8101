import pg from 'pg';

/**
 * The OIDs of the array types that are read as numbers: int2[], int4[], int8[], float4[] and float8[]. Our int8 values
 * stay below 2^53, alone and in arrays.
 */
export const numberArrays: readonly number[] = [1005, 1007, 1016, 1021, 1022];

/**
 * Reads an array of numbers. A statement may return thousands of histograms, and the parser of node-postgres is many
 * times slower, because it creates a text for each number. It still reads the rare forms: NULL among whole numbers,
 * NaN, bounds (`[0:1]={1,2}`), and fractions in more than one dimension. Pure.
 */
export function readNumberArray(oid: number, text: string): unknown {
  const isFraction = oid === 1021 || oid === 1022;
  return (
    (isFraction ? readFractions(text) : readWholes(text)) ?? numbersOf(pg.types.getTypeParser(oid)(text))
  );
}

/** node-postgres reads an int8 as text. */
function numbersOf(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(numbersOf);
  return typeof read === 'string' ? Number(read) : read;
}

function readFractions(text: string): (number | null)[] | undefined {
  if (!/^\{[0-9.e+,NUL-]+\}$/.test(text)) return undefined;
  const parts = text.slice(1, -1).split(',');
  return parts.map((part) => (part === 'NULL' ? null : Number(part)));
}

const [zero, nine, comma, minus, open, close] = [48, 57, 44, 45, 123, 125];

/** An array of whole numbers of any dimension; undefined: it contains something else. */
function readWholes(text: string): unknown[] | undefined {
  const root: unknown[] = [];
  const above: unknown[][] = [];
  let [array, value, sign, isNumber] = [root, 0, 1, false];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= zero && code <= nine) {
      value = value * 10 + code - zero;
      isNumber = true;
    } else if (code === minus) sign = -1;
    else if (code === open) {
      const inner: unknown[] = [];
      array.push(inner);
      above.push(array);
      array = inner;
    } else if (code === comma || code === close) {
      if (isNumber) array.push(sign * value);
      [value, sign, isNumber] = [0, 1, false];
      if (code === close) array = above.pop() ?? root;
    } else return undefined;
  }
  const [whole] = root;
  return Array.isArray(whole) ? whole : undefined;
}
