import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keepOrder, maySort, steadyMs } from './steady-rows.ts';

const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'));

test('a list keeps the positions of its rows, and loses or repeats nothing', () => {
  fc.assert(
    fc.property(ids, ids, ids, (shownIds, all, some) => {
      const rows = new Map(all.map((id) => [id, { id }]));
      const fitting = some.flatMap((id) => rows.get(id) ?? []);
      const shown = keepOrder(shownIds, rows, fitting).map(({ id }) => id);
      expect(shown.filter((id) => shownIds.includes(id))).toEqual(shownIds.filter((id) => rows.has(id)));
      expect(shown.slice(shownIds.filter((id) => rows.has(id)).length)).toEqual(
        fitting.flatMap(({ id }) => (shownIds.includes(id) ? [] : [id])),
      );
    }),
  );
});

test('a list is sorted again when the pointer was not on it for a while', () => {
  const at = { nowMs: 100_000, sortedMs: 0, touchedMs: 0 };
  expect(maySort(at)).toBe(true);
  expect(maySort({ ...at, touchedMs: at.nowMs - steadyMs + 1 })).toBe(false);
  expect(maySort({ ...at, sortedMs: at.nowMs - steadyMs + 1 })).toBe(false);
});
