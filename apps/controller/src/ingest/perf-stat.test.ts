import { hourUs } from '@vantage/domain';
import { countOf, histogramOf, mergeHistograms, percentile } from '@vantage/health';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBaselines, type PastHistograms, slowLimit } from './perf-stat.ts';
import type { ParsedResult } from './record.ts';

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

/** The pasts of the property below: some hours have none, some one that is too short. */
const pastOf = ({
  deviceNo,
  locationNo,
  hourUs: beginUs,
}: Parameters<PastHistograms>[1]['hours'][number]) => {
  const kind = (deviceNo + 2 * locationNo + beginUs / hourUs) % 4;
  return kind === 0 ? [] : Array.from({ length: kind === 1 ? 99 : 100 }, () => deviceNo * 10 + locationNo);
};

test('property: each good result gets the limit of its device, Location and hour, and each of these is read once', async () => {
  const one = fc.record({
    locationNo: fc.integer({ min: 1, max: 2 }),
    deviceNo: fc.integer({ min: 1, max: 4 }),
    startUs: fc.integer({ min: 0, max: 3 }).map((quarter) => 1_000 * hourUs + quarter * (hourUs / 2)),
    code: fc.constantFrom(1, 1, 3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(one, { maxLength: 20 }), { maxLength: 5 }), async (batches) => {
      const asked: string[] = [];
      const baselines = createBaselines(async (_db, { hours }) => {
        asked.push(...hours.map((hour) => JSON.stringify(hour)));
        return hours.map((hour) => ({ ...hour, histogram: histogramOf(pastOf(hour)) }));
      });
      for (const batch of batches) {
        const located = batch.map(({ locationNo, ...result }) => ({
          locationNo,
          result: result as ParsedResult,
        }));
        const given = await baselines.limits(undefined as never, located);
        batch.forEach(({ code, startUs, deviceNo, locationNo }, at) => {
          const hour = { deviceNo, locationNo, hourUs: startUs - (startUs % hourUs) };
          if (code === 1) expect(given[at]).toBe(slowLimit(histogramOf(pastOf(hour))));
        });
      }
      expect(new Set(asked).size).toBe(asked.length);
    }),
  );
});
