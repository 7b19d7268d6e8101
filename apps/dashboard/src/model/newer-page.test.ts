import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withNewerPage } from './newer-page.ts';

const idOf = (row: number) => `${row}`;
const merge = (page: readonly number[], known: readonly number[]) => withNewerPage(page, known, idOf);

test('new rows come first, and older rows stay', () => {
  expect(merge([9, 8, 7], [8, 7, 6, 5])).toEqual([9, 8, 7, 6, 5]);
  expect(merge([9, 8], [3, 2, 1])).toEqual([9, 8]);
  expect(merge([], [3, 2])).toEqual([]);
});

test('the rows are those of the list without a gap, each once, as far down as before', () => {
  const world = fc.record({ size: fc.nat(60), arrived: fc.nat(60), shown: fc.nat(60), page: fc.nat(20) });
  fc.assert(
    fc.property(world, ({ size, arrived, shown, page }) => {
      const before = Array.from({ length: size }, (_, at) => size - at).slice(0, shown);
      const now = Array.from({ length: size + arrived }, (_, at) => size + arrived - at);
      const merged = merge(now.slice(0, page), before);
      expect(merged).toEqual(now.slice(0, merged.length));
      // Nothing that was shown is lost, unless rows between both may be missing.
      if (arrived < page && before.length > 0)
        expect(merged.length).toBe(Math.min(now.length, Math.max(page, arrived + before.length)));
    }),
  );
});
