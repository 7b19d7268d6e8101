import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

test('a wait is never longer than the cap nor than base * 2^attempt', () => {
  fc.assert(
    fc.property(
      fc.nat(2000),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 60_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, baseMs, capMs, r) => {
        const wait = backoffMs(attempt, { baseMs, capMs }, () => r);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30)));
      },
    ),
  );
});

test('the jitter is full: the smallest random number gives no wait, the largest nearly the ceiling', () => {
  const backoff = { baseMs: 100, capMs: 10_000 };
  expect(backoffMs(3, backoff, () => 0)).toBe(0);
  expect(backoffMs(3, backoff, () => 0.9999)).toBe(799);
  expect(backoffMs(50, backoff, () => 0.9999)).toBe(9999);
});

test('the waits of a crowd are spread evenly over the whole span', () => {
  const crowd = 1000;
  const waits = Array.from({ length: crowd }, (_, i) =>
    backoffMs(4, { baseMs: 500, capMs: 30_000 }, () => i / crowd),
  );
  const perTenth = Array.from(
    { length: 10 },
    (_, tenth) => waits.filter((ms) => ms >= tenth * 800 && ms < (tenth + 1) * 800).length,
  );
  expect(perTenth).toEqual(Array.from({ length: 10 }, () => 100));
});

test('the span doubles until the cap', () => {
  const longest = (attempt: number) => backoffMs(attempt, { baseMs: 500, capMs: 30_000 }, () => 0.999_999);
  expect([0, 1, 2, 5, 6, 100].map(longest)).toEqual([499, 999, 1999, 15_999, 29_999, 29_999]);
});
