import { expect, test } from 'vitest';
import { createKnownSeries, seriesKey } from './known-series.ts';

const series = (count: number) =>
  new Map(Array.from({ length: count }, (_, i) => [seriesKey(`v${i}`, ''), i + 1] as const));

test('the series of a device are found again, and replaced as a whole', () => {
  const known = createKnownSeries(1e6);
  known.set(1, series(3));
  known.set(1, series(2));
  expect(known.get(1)).toEqual(series(2));
  expect(known.get(2)).toBeUndefined();
});

test('over the limit the device that was used longest ago is forgotten', () => {
  const known = createKnownSeries(2_000);
  known.set(1, series(10));
  known.set(2, series(10));
  known.get(1);
  known.set(3, series(10));
  expect([1, 2, 3].map((no) => known.get(no) !== undefined)).toEqual([true, false, true]);
  expect(known.bytes).toBeLessThanOrEqual(2_000);
});

test('a device beyond the limit is not kept at all', () => {
  const known = createKnownSeries(500);
  known.set(1, series(100));
  expect(known.get(1)).toBeUndefined();
  expect(known.bytes).toBe(0);
});
