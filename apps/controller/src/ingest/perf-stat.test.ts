import { countOf, histogramOf, mergeHistograms, percentile } from '@vantage/health';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slowLimit } from './perf-stat.ts';

const latencies = fc.array(fc.double({ min: 0.01, max: 120_000, noNaN: true }), {
  minLength: 1,
  maxLength: 200,
});

test('a percentile is within two percent of the truth', () => {
  fc.assert(
    fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, p) => {
      const sorted = [...values].sort((a, b) => a - b);
      const truth = sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? 0;
      const estimate = percentile(histogramOf(values), p) ?? Number.NaN;
      expect(Math.abs(estimate - truth) / truth).toBeLessThan(0.0201);
    }),
  );
});

test('merging is the same as counting together', () => {
  fc.assert(
    fc.property(latencies, latencies, (a, b) => {
      expect(mergeHistograms([histogramOf(a), histogramOf(b)])).toEqual(histogramOf([...a, ...b]));
      expect(countOf(histogramOf(a))).toBe(a.length);
    }),
  );
});

test('an empty histogram has no percentile', () => {
  expect(percentile([], 0.5)).toBeUndefined();
});

test('slow is over three times the median and over the 99th percentile, once a hundred checks are known', () => {
  const steady = Array.from({ length: 99 }, () => 10);
  expect(slowLimit(histogramOf(steady))).toBeUndefined();
  expect(slowLimit(histogramOf([...steady, 10]))).toBeCloseTo(30, 0);
  const spread = [...steady, ...Array.from({ length: 20 }, () => 500)];
  expect(slowLimit(histogramOf(spread)) ?? 0).toBeGreaterThan(485);
});
