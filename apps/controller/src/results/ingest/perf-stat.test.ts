import { hourUs } from '@vantage/domain';
import { countOf, histogramOf, mergeHistograms, percentile } from '@vantage/health';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { perf } from './check-row.ts';
import type { ParsedResult } from './parse-record.ts';
import { createBaselines, type PastHistograms, perfOf, slowLimit } from './perf-stat.ts';

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

test('where most checks send nothing, one that does is not slow', () => {
  expect(slowLimit(histogramOf([...Array.from({ length: 200 }, () => 0), 300]))).toBeUndefined();
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

test.each<[string, number, number | undefined, Partial<ParsedResult>]>([
  ['as long as its limit', perf.ok, 30, {}],
  ['longer than its limit', perf.slow, 29.999, {}],
  ['without a limit', perf.ok, undefined, {}],
  ['that its agent calls slow', perf.slow, undefined, { slow: true }],
  ['that failed', perf.error, 29, { code: 2, slow: true }],
])('a check %s', (_what, expected, limitMs, more) => {
  expect(perfOf({ code: 1, startUs: 5, endUs: 30_005, slow: false, ...more }, limitMs)).toBe(expected);
});

test('100,000 limits are kept; with one more, all are read again', async () => {
  let asked = 0;
  const baselines = createBaselines(async (_db, { hours }) => {
    asked += hours.length;
    return [];
  });
  const read = (deviceNo: number, count: number) =>
    baselines.limits(
      undefined as never,
      Array.from({ length: count }, (_, i) => {
        return { locationNo: 1, result: { deviceNo: deviceNo + i, startUs: 0, code: 1 } };
      }),
    );
  for (const _ of [1, 2]) await read(0, 100_000);
  expect(asked).toBe(100_000);
  await read(100_000, 1);
  await read(0, 1);
  expect(asked).toBe(100_002);
});
