import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addSums, addValue, noValues, type ValueSums, valuePercentile } from './value-sums.ts';

const value = fc.oneof(
  fc.double({ min: -1e300, max: 1e300, noNaN: true }),
  fc.double({ min: -100, max: 100, noNaN: true }),
  fc.double({ min: 0, max: 1e-8, noNaN: true }),
  fc.constantFrom(0, 1, 1, 1e9, -1e9, 5e-324),
);

function sumsOf(values: readonly number[]): ValueSums {
  const sums = noValues();
  for (const one of values) addValue(sums, one);
  return sums;
}

test('a percentile is within 2 % of the value at its nearest rank, and never outside of min and max', () => {
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 60 }),
      fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.95, 1)),
      (values, p) => {
        const sums = sumsOf(values);
        const sorted = values.toSorted((a, b) => a - b);
        const truth = sorted.find((_, i) => i + 1 >= values.length * p) ?? Number.NaN;
        const read = valuePercentile(sums, p) ?? Number.NaN;
        expect(read).toBeGreaterThanOrEqual(Math.min(...values));
        expect(read).toBeLessThanOrEqual(Math.max(...values));
        if (Math.abs(truth) < 1e-9) expect(Math.abs(read)).toBeLessThanOrEqual(1.02e-9);
        else expect(Math.abs(read / truth - 1)).toBeLessThan(0.0201);
      },
    ),
  );
});

test('sums add up: parts that are merged in any order are the sums of all', () => {
  fc.assert(
    fc.property(fc.array(fc.array(value, { maxLength: 20 }), { maxLength: 5 }), (parts) => {
      const merged = noValues();
      for (const part of parts.toReversed()) addSums(merged, sumsOf(part));
      const all = sumsOf(parts.flat());
      const { sum, ...others } = merged;
      expect(others).toEqual({ count: all.count, min: all.min, max: all.max, slots: all.slots });
      const amounts = parts.flat().reduce((most, one) => Math.max(most, Math.abs(one)), 0);
      expect(Math.abs(sum - all.sum)).toBeLessThanOrEqual(amounts * 1e-12 * Math.max(1, all.count));
    }),
  );
});

test('values that are close to each other have a percentile between their mean and their maximum', () => {
  const sums = sumsOf(Array.from({ length: 100 }, (_, i) => 9_752 + i));
  const p95 = valuePercentile(sums, 0.95) ?? 0;
  expect(Math.abs(p95 - 9_846)).toBeLessThan(2);
});

test('numbers that are not finite are left out', () => {
  expect(sumsOf([1, Number.NaN, Number.POSITIVE_INFINITY, 2])).toEqual(sumsOf([1, 2]));
});

test('no values have no percentile', () => {
  expect(valuePercentile(noValues(), 0.95)).toBeUndefined();
});
