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

test('the jitter is full: the smallest random number waits not at all, the largest nearly the ceiling', () => {
  const backoff = { baseMs: 100, capMs: 10_000 };
  expect(backoffMs(3, backoff, () => 0)).toBe(0);
  expect(backoffMs(3, backoff, () => 0.9999)).toBe(799);
  expect(backoffMs(50, backoff, () => 0.9999)).toBe(9999);
});
