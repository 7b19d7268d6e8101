import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countOf, histogramOf, mergeHistograms, percentile, percentiles, scale } from './histogram.ts';

const latencies = fc.array(
  fc.oneof(
    fc.double({ min: 0, max: 120_000, noNaN: true }),
    fc.double({ min: 0, max: 0.01, noNaN: true }),
    fc.constantFrom(0, scale.smallestMs, 1, 1, 250),
  ),
  { minLength: 1, maxLength: 40 },
);
const shares = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom(0, 0.1, 0.25, 0.5, 0.9, 1),
);

test('a percentile is within 2 % of the latency at its nearest rank, and of several the same as alone', () => {
  fc.assert(
    fc.property(latencies, fc.array(shares, { minLength: 1, maxLength: 6 }), (all, asked) => {
      const histogram = histogramOf(all);
      const sorted = all.toSorted((a, b) => a - b);
      for (const p of asked) {
        // The first latency that at least the share p of all does not exceed.
        const truth = sorted.find((_, i) => i + 1 >= all.length * p) ?? NaN;
        const read = percentile(histogram, p) ?? NaN;
        if (truth <= scale.smallestMs) expect(read).toBe(scale.smallestMs);
        else expect(Math.abs(read / truth - 1)).toBeLessThan(0.02);
      }
      const rising = asked.toSorted((a, b) => a - b);
      expect(percentiles(histogram, rising)).toEqual(rising.map((p) => percentile(histogram, p)));
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('histograms add up: parts that are merged are the histogram of all, and none is counted twice', () => {
  fc.assert(
    fc.property(fc.array(latencies, { maxLength: 4 }), (parts) => {
      const merged = mergeHistograms(parts.map(histogramOf));
      expect(merged).toEqual(histogramOf(parts.flat()));
      expect(countOf(merged)).toBe(parts.flat().length);
      expect(merged.map(([bucket]) => bucket)).toEqual(
        [...new Set(merged.map(([bucket = 0]) => bucket))].sort((a, b) => a - b),
      );
    }),
  );
  expect(percentile(histogramOf([]), 0.5)).toBeUndefined();
});
