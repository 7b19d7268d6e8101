import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addSumBytes,
  blockOf,
  readSumBytes,
  SumBytesError,
  seriesInBlock,
  sumBytes,
} from './value-sum-bytes.ts';
import { addSums, addValue, noValues, type ValueSums } from './value-sums.ts';

const value = fc.oneof(
  fc.double({ min: -1e300, max: 1e300, noNaN: true }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(0, 7, 7, 7),
);
const all = fc
  .dictionary(
    fc.integer({ min: 1, max: 32_767 }).map(String),
    fc.array(value, { minLength: 1, maxLength: 80 }),
    {
      maxKeys: 6,
    },
  )
  .map((parts) => new Map(Object.entries(parts).map(([no, values]) => [Number(no), sumsOf(values)])));

function sumsOf(values: readonly number[]): ValueSums {
  const sums = noValues();
  for (const one of values) addValue(sums, one);
  return sums;
}

/** Sums without the order in which slots were added; where all values are one, its multiple is the sum. */
function comparable(sums: ReadonlyMap<number, ValueSums>) {
  return [...sums]
    .map(([no, { slots, sum, ...one }]) => ({
      no,
      ...one,
      sum: one.min === one.max ? one.min * one.count : sum,
      slots: [...slots].sort(([a], [b]) => a - b),
    }))
    .sort((a, b) => a.no - b.no);
}

test('all sums come back from their bytes, and those of one series are added to others', () => {
  fc.assert(
    fc.property(all, (sums) => {
      const bytes = sumBytes(sums);
      expect(comparable(readSumBytes(bytes))).toEqual(comparable(sums));
      const [first = 0] = sums.keys();
      const own = noValues();
      addSumBytes(bytes, (no) => (no === first ? own : undefined));
      addSumBytes(bytes, (no) => (no === first ? own : undefined));
      const twice = noValues();
      for (const one of [sums.get(first), sums.get(first)]) if (one !== undefined) addSums(twice, one);
      expect({ ...own, sum: 0 }).toEqual({ ...twice, sum: 0 });
    }),
  );
});

test('bytes that are cut, or of another version, are refused', () => {
  const bytes = sumBytes(new Map([[3, sumsOf([1, 2, 3])]]));
  for (let length = 2; length < bytes.length; length += 1)
    expect(() => readSumBytes(bytes.subarray(0, length))).toThrow(SumBytesError);
  expect(() => readSumBytes(Uint8Array.of(2))).toThrow(SumBytesError);
});

test('a series with one value needs 12 bytes at most, and an hour of a steady gauge less than 80', () => {
  expect(sumBytes(new Map([[1, sumsOf(Array.from({ length: 60 }, () => 81.5))]])).length).toBeLessThanOrEqual(
    12,
  );
  const gauge = Array.from({ length: 60 }, (_, i) => 100 + 5 * Math.sin(i));
  expect(sumBytes(new Map([[1, sumsOf(gauge)]])).length).toBeLessThan(80);
});

test('sixteen series share a block', () => {
  expect([1, 16, 17, 1000].map(blockOf)).toEqual([0, 0, 1, 62]);
  expect(seriesInBlock).toBe(16);
});
