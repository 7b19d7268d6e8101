import { type ByteReader, PackedBytesError } from './byte-reader.ts';

/** Integers up to this amount survive two differences and the sign in the lowest bit without rounding. */
const maxInteger = 2 ** 50;
const rawForm = 6;
const rawWidth = 8;
const maxWidth = 7;

/**
 * Numbers as bytes. Numbers with at most three decimals become integers. These are stored as they are, as differences,
 * or as differences of differences, whichever is smallest: first the highest byte of all integers, last the lowest byte
 * of all, because similar bytes next to each other compress well. All other numbers are stored as IEEE 754. Every
 * number is restored exactly, including -0 and NaN.
 */
export function packNumbers(values: readonly number[]): readonly Uint8Array[] {
  for (const [scaleForm, scale] of [1, 1000].entries()) {
    const whole = values.map((value) => Math.round(value * scale));
    if (!whole.every((integer, i) => isInteger(integer) && integer / scale === values[i])) continue;
    const first = differences(whole);
    const lists = [whole, first, differences(first)];
    const [index, smallest] = smallestOf(lists);
    return [Uint8Array.of(scaleForm * lists.length + index), ...planes(smallest.map(toUnsigned))];
  }
  const raw = Buffer.alloc(values.length * rawWidth);
  for (const [i, value] of values.entries())
    for (let byte = 0, from = doubleBytes(value); byte < rawWidth; byte += 1)
      raw[byte * values.length + i] = from[byte] ?? 0;
  return [Uint8Array.of(rawForm), raw];
}

/** The `count` numbers that `packNumbers` stored. Throws a PackedBytesError. */
export function unpackNumbers(reader: ByteReader, count: number): number[] {
  const form = reader.byte();
  if (form > rawForm) throw new PackedBytesError(`there is no form ${form} of numbers`);
  if (form === rawForm) {
    const raw = Buffer.from(reader.bytes(rawWidth * count));
    return Array.from({ length: count }, (_, i) =>
      Buffer.from(
        Array.from({ length: rawWidth }, (_empty, byte) => raw[byte * count + i] ?? 0),
      ).readDoubleBE(),
    );
  }
  const width = reader.byte();
  if (width > maxWidth) throw new PackedBytesError(`there are no integers of ${width} bytes`);
  const unsigned = Array.from({ length: count }, () => 0);
  for (let plane = 0; plane < width; plane += 1) {
    const bytes = reader.bytes(count);
    for (let i = 0; i < count; i += 1) unsigned[i] = (unsigned[i] ?? 0) * 256 + (bytes[i] ?? 0);
  }
  const values = unsigned.map(toSigned);
  for (let times = form % 3; times > 0; times -= 1) addUp(values);
  return form < 3 ? values : values.map((value) => value / 1000);
}

function isInteger(value: number): boolean {
  return Math.abs(value) <= maxInteger && !Object.is(value, -0);
}

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(rawWidth);
  bytes.writeDoubleBE(value);
  return bytes;
}

function differences(values: readonly number[]): number[] {
  return values.map((value, i) => value - (values[i - 1] ?? 0));
}

function addUp(values: number[]): void {
  for (let i = 1; i < values.length; i += 1) values[i] = (values[i] ?? 0) + (values[i - 1] ?? 0);
}

/** The list whose integers have the fewest bits in total, with its index. */
function smallestOf(lists: readonly (readonly number[])[]): [number, readonly number[]] {
  const bits = lists.map((list) => list.reduce((sum, value) => sum + Math.log2(1 + Math.abs(value)), 0));
  const index = bits.indexOf(Math.min(...bits));
  return [index, lists[index] ?? []];
}

/** 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4, so that the high bytes of small amounts are 0. */
function toUnsigned(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function toSigned(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function planes(unsigned: readonly number[]): readonly Uint8Array[] {
  let width = 0;
  for (const value of unsigned) while (value >= 256 ** width) width += 1;
  const list = Array.from({ length: width }, (_, plane) => {
    const unit = 256 ** (width - 1 - plane);
    return Uint8Array.from(unsigned, (value) => Math.floor(value / unit) % 256);
  });
  return [Uint8Array.of(width), ...list];
}
