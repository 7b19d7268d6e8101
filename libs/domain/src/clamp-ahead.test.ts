import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clampAhead } from './clamp-ahead.ts';

const us = fc.integer({ min: 0, max: 4e15 });

test('property: a time within its lead is kept, a later one is now, and nothing is delayed', () => {
  fc.assert(
    fc.property(us, us, fc.integer({ min: 0, max: 1e12 }), (stored, nowUs, maxAheadUs) => {
      const clamped = clampAhead(stored, nowUs, maxAheadUs);
      expect(clamped).toBe(stored - nowUs <= maxAheadUs ? stored : nowUs);
      expect(clamped).toBeLessThanOrEqual(stored);
      expect(clampAhead(clamped, nowUs, maxAheadUs)).toBe(clamped);
    }),
  );
});

test('a time of the past is at most now', () => {
  expect([clampAhead(5, 7), clampAhead(7, 7), clampAhead(9, 7)]).toEqual([5, 7, 7]);
});
