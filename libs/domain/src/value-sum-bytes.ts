import { addFigures, addToSlot, noValues, slotOf, type ValueSums } from './value-sums.ts';

/** The series whose sums are stored together: block 0 has the series 1 to 16, and so on. */
export const seriesInBlock = 16;

/** The block of a series. */
export function blockOf(seriesNo: number): number {
  return Math.floor((seriesNo - 1) / seriesInBlock);
}

/** Bytes of sums are damaged, or of a later version. */
export class SumBytesError extends Error {
  override readonly name = 'SumBytesError';
}

const version = 1;
/** All values of the series are the same, so one number tells all. */
const sameForm = 0;
const fullForm = 1;

/**
 * The sums of several series as bytes: the version, then for each series, by ascending numbers, the difference to the
 * number before, the form, the count, and either one value, or min, max, sum and the counts of the slots.
 */
export function sumBytes(sums: ReadonlyMap<number, ValueSums>): Uint8Array {
  const writer = createWriter();
  writer.size(version);
  let before = 0;
  for (const [seriesNo, one] of [...sums].sort(([a], [b]) => a - b)) {
    writer.size(seriesNo - before);
    before = seriesNo;
    writeSums(writer, one);
  }
  return writer.bytes();
}

function writeSums(writer: SumWriter, { count, sum, min, max, slots }: ValueSums): void {
  if (min === max) {
    writer.size(sameForm);
    writer.size(count);
    writer.double(min);
    return;
  }
  writer.size(fullForm);
  writer.size(count);
  writer.double(min);
  writer.double(max);
  writer.double(sum);
  writer.size(slots.size);
  let last = 0;
  for (const [slot, n] of [...slots].sort(([a], [b]) => a - b)) {
    const step = slot - last;
    writer.size(step < 0 ? -2 * step - 1 : 2 * step);
    writer.size(n);
    last = slot;
  }
}

/** The sums that `sumBytes` wrote, by series. Throws a SumBytesError. */
export function readSumBytes(bytes: Uint8Array): Map<number, ValueSums> {
  const sums = new Map<number, ValueSums>();
  addSumBytes(bytes, (seriesNo) => {
    const one = noValues();
    sums.set(seriesNo, one);
    return one;
  });
  return sums;
}

/**
 * Adds the sums that `sumBytes` wrote to those that `sumsOf` returns for their series; undefined: not of this series.
 * Three months of all labels are a hundred thousand sums, so none is created on the way. Throws a SumBytesError.
 */
export function addSumBytes(bytes: Uint8Array, sumsOf: (seriesNo: number) => ValueSums | undefined): void {
  const reader = createReader(bytes);
  if (reader.size() !== version) throw new SumBytesError('an unknown version of sums');
  for (let seriesNo = 0; reader.hasMore(); ) {
    seriesNo += reader.size();
    addFrom(reader, sumsOf(seriesNo));
  }
}

function addFrom(reader: SumReader, sums: ValueSums | undefined): void {
  const form = reader.size();
  const count = reader.size();
  const min = reader.double();
  if (form === sameForm) {
    if (sums === undefined) return;
    addFigures(sums, { count, sum: min * count, min, max: min });
    addToSlot(sums, slotOf(min), count);
    return;
  }
  if (form !== fullForm) throw new SumBytesError('an unknown form of sums');
  const [max, sum, length] = [reader.double(), reader.double(), reader.size()];
  if (sums !== undefined) addFigures(sums, { count, sum, min, max });
  for (let i = 0, slot = 0; i < length; i += 1) {
    const step = reader.size();
    slot += step % 2 === 0 ? step / 2 : -(step + 1) / 2;
    const n = reader.size();
    if (sums !== undefined) addToSlot(sums, slot, n);
  }
}

type SumWriter = ReturnType<typeof createWriter>;

function createWriter() {
  let buffer = Buffer.alloc(1024);
  let at = 0;
  const reserve = (length: number) => {
    if (at + length <= buffer.length) return;
    const larger = Buffer.alloc(2 * (buffer.length + length));
    buffer.copy(larger);
    buffer = larger;
  };
  return {
    /** A non-negative integer as groups of 7 bits, the lowest first (LEB128). */
    size(value: number) {
      reserve(8);
      let rest = value;
      for (; rest >= 128; rest = Math.floor(rest / 128)) at = buffer.writeUInt8((rest % 128) + 128, at);
      at = buffer.writeUInt8(rest, at);
    },
    double(value: number) {
      reserve(8);
      at = buffer.writeDoubleBE(value, at);
    },
    bytes: () => Uint8Array.from(buffer.subarray(0, at)),
  };
}

type SumReader = ReturnType<typeof createReader>;

function createReader(source: Uint8Array) {
  const buffer = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  let at = 0;
  const need = (length: number) => {
    if (at + length > buffer.length) throw new SumBytesError('the bytes of sums end too early');
  };
  return {
    hasMore: () => at < buffer.length,
    size() {
      let value = 0;
      for (let factor = 1; factor < 2 ** 49; factor *= 128) {
        need(1);
        const next = buffer.readUInt8(at);
        at += 1;
        value += (next % 128) * factor;
        if (next < 128) return value;
      }
      throw new SumBytesError('a number in sums is too long');
    },
    double() {
      need(8);
      at += 8;
      return buffer.readDoubleBE(at - 8);
    },
  };
}
