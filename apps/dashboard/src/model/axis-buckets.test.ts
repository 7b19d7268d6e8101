import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataOfChecks, dataOfStatistics, scaleTop, stepPath } from './axis-buckets.ts';
import { phases } from './phases.ts';

const minute = 60_000;
const time = fc.integer({ min: 1, max: 5_000 });
const check = fc
  .record({
    at: fc.integer({ min: 0, max: 59 }),
    code: fc.constantFrom(1, 1, 1, 2, 5, 9, 10),
    Location: fc.constantFrom('a', 'b'),
    times: fc.tuple(time, time, time, time, time),
  })
  .map(({ at, code, Location, times: [DNSTime, ConnectTime, SSLTime, TTFB, TTLB] }) => {
    const RequestTime = DNSTime + ConnectTime + SSLTime + TTFB + TTLB;
    const Timestamp = new Date(at * minute).toISOString();
    return { Timestamp, Location, ResultCode: code, RequestTime, DNSTime, ConnectTime, SSLTime, TTFB, TTLB };
  });
const checks = fc.uniqueArray(check, { selector: ({ Timestamp }) => Timestamp, maxLength: 60 });

test('each check is one bucket of its Location; buckets do not overlap, and none crosses a gap', () => {
  fc.assert(
    fc.property(checks, (list) => {
      const { locations, loss } = dataOfChecks(list, minute, { from: 0, to: 60 * minute });
      const all = [...locations.values()].flat();
      expect(all.length).toBe(list.length);
      for (const buckets of [...locations.values(), loss])
        for (const [at, { from, to }] of buckets.entries()) {
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(Math.min(buckets[at + 1]?.from ?? 60 * minute, 60 * minute));
          expect(to - from).toBeLessThanOrEqual(minute * 1.5 * locations.size);
        }
      const bad = list.filter(({ ResultCode }) => [2, 5].includes(ResultCode)).length;
      expect(loss.filter(({ percent }) => percent === 100).length).toBe(bad);
      for (const bucket of all)
        expect(bucket.phases?.reduce((sum, ms) => sum + ms, 0) ?? null).toBe(bucket.median);
    }),
  );
});

const row = (hour: number, Location: string, more: { P50?: number | null; Errors?: number }) => ({
  Timestamp: new Date(hour * 60 * minute).toISOString(),
  Location,
  Count: 10,
  Errors: 0,
  Inconclusive: 0,
  P50: 5,
  P95: 9,
  ...more,
  Phases: Object.fromEntries(phases.map(([, field], at) => [field, { P50: at }])) as Record<
    (typeof phases)[number][1],
    { P50: number }
  >,
});

test('phases of statistics add up to the median, hours without rows are a gap, and loss is of all Locations', () => {
  const rows = [row(1, 'a', {}), row(1, 'b', { Errors: 10, P50: null }), row(2, 'a', {}), row(6, 'a', {})];
  const span = { from: 0, to: 6.5 * 60 * minute };
  const { locations, loss } = dataOfStatistics(rows, 60 * minute, span);
  const own = locations.get('a') ?? [];
  expect(own.map(({ from, to }) => [from / 60 / minute, to / 60 / minute])).toEqual([
    [1, 2],
    [2, 3],
    [6, 6.5],
  ]);
  expect(own.map(({ phases: parts }) => parts)).toEqual([
    [0, 0.5, 1, 1.5, 2],
    [0, 0.5, 1, 1.5, 2],
    [0, 0.5, 1, 1.5, 2],
  ]);
  expect(locations.get('b')?.[0]?.phases).toBe(null);
  expect(loss.map(({ percent }) => percent)).toEqual([50, 0, 0]);
  const path = stepPath(
    own,
    (ms) => ms / minute,
    () => 1,
  );
  expect(path).toBe('M60.0 1.0L120.0 1.0L120.0 1.0L180.0 1.0M360.0 1.0L390.0 1.0');
});

test.each([
  [0, 1],
  [0.3, 0.4],
  [1, 1],
  [3, 4],
  [4.1, 10],
  [99, 100],
  [101, 200],
])('the scale of %s ms ends at %s ms', (ms, top) => {
  expect(scaleTop(ms)).toBeCloseTo(top, 9);
});
