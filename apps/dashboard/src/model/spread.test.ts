import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spread } from './spread.ts';

test('labels keep their order and distance, none is below the bottom, and those with space stay', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 7 }), (wanted) => {
      const got = spread(wanted, 14, 120);
      const sorted = got.toSorted((a, b) => a - b);
      for (const [at, y] of sorted.entries()) {
        expect(y).toBeLessThanOrEqual(120);
        expect((sorted[at + 1] ?? y + 14) - y).toBeGreaterThanOrEqual(14 - 1e-9);
      }
      for (const [at, y] of wanted.entries())
        for (const [other, z] of wanted.entries()) if (y < z) expect(got[at]).toBeLessThan(got[other] ?? 0);
    }),
  );
  expect(spread([10, 60, 110], 14, 120)).toEqual([10, 60, 110]);
});
