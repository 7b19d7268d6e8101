import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketsOf, bucketsOfSums, type Timed } from './buckets.ts';

const minute = 60_000;
const time = fc.integer({ min: 0, max: 5_000 });
const check = fc
  .record({
    at: fc.integer({ min: 0, max: 59 }),
    code: fc.constantFrom(1, 1, 1, 2, 5, 9, 10),
    times: fc.tuple(time, time, time, time, time),
  })
  .map(({ at, code, times: [DNSTime, ConnectTime, SSLTime, TTFB, TTLB] }): Timed => {
    const RequestTime = DNSTime + ConnectTime + SSLTime + TTFB + TTLB;
    const Timestamp = new Date(at * minute).toISOString();
    const check_id = `${at}-${code}-${RequestTime}`;
    return { check_id, Timestamp, ResultCode: code, RequestTime, DNSTime, ConnectTime, SSLTime, TTFB, TTLB };
  });

test('phases of a bucket add up to its median, half of the good checks took no longer, and a bucket without a check is a gap', () => {
  fc.assert(
    fc.property(fc.array(check, { maxLength: 60 }), (checks) => {
      const buckets = bucketsOf(checks, { from: 0, to: 59 * minute, bucketMs: 15 * minute });
      expect(buckets.map(({ at }) => at / minute)).toEqual([0, 15, 30, 45]);
      for (const { at, phases, median, p95, loss } of buckets) {
        const inside = checks.filter(
          ({ Timestamp }) => Date.parse(Timestamp) >= at && Date.parse(Timestamp) < at + 15 * minute,
        );
        const good = inside.filter(({ ResultCode }) => ResultCode === 1);
        const bad = inside.filter(({ ResultCode }) => [2, 5].includes(ResultCode));
        expect(loss).toBe(
          good.length + bad.length === 0 ? null : (bad.length / (good.length + bad.length)) * 100,
        );
        expect(phases?.reduce((sum, each) => sum + each, 0) ?? null).toBe(median);
        expect(median === null).toBe(good.length === 0);
        if (median === null || p95 === null) continue;
        const within = (ms: number) => good.filter(({ RequestTime }) => RequestTime <= ms).length;
        expect(within(median) * 2).toBeGreaterThanOrEqual(good.length);
        expect(within(p95)).toBeGreaterThanOrEqual(good.length * 0.95);
      }
    }),
  );
});

test('hours without sums are a gap', () => {
  const sum = (hour: number, Errors: number) => {
    const Timestamp = new Date(hour * 60 * minute).toISOString();
    const [none, connect, first] = [{ Mean: 0 }, { Mean: 2 }, { Mean: 3 }] as const;
    const Phases = { DNSTime: none, ConnectTime: connect, SSLTime: none, TTFB: first, TTLB: none };
    return { Timestamp, Count: 10, Errors, Inconclusive: 0, P50: 5, P95: 9, Phases };
  };
  const buckets = bucketsOfSums([sum(1, 0), sum(2, 5), sum(6, 0)], 60 * minute);
  const means = [0, 2, 0, 3, 0];
  expect(buckets.map(({ median, loss, phases }) => [median, loss, phases])).toEqual([
    [5, 0, means],
    [5, 50, means],
    [null, null, null],
    [5, 0, means],
  ]);
});
