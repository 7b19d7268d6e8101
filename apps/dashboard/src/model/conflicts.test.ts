import { expect, test } from 'vitest';
import { conflictsOf, replacedBy } from './conflicts.ts';

const windowOf = (fromMs: number, toMs: number, ...devices: string[]) => ({ fromMs, toMs, devices });

test('only windows that overlap and share a device are in conflict, and each says how many it shares', () => {
  const before = windowOf(0, 10, 'a');
  const over = windowOf(5, 15, 'a', 'b', 'x');
  const inside = windowOf(12, 13, 'b');
  const other = windowOf(12, 13, 'x');
  const after = windowOf(20, 30, 'a');
  const meant = new Set(['a', 'b']);
  expect(conflictsOf([after, inside, over, other, before], { fromMs: 10, toMs: 20 }, meant)).toEqual([
    { item: over, devices: 2 },
    { item: inside, devices: 1 },
  ]);
});

test('a planned window of a person at another time is left; what runs, overlaps or is of a schedule is not', () => {
  const manual = (fromMs: number, toMs: number, isManual = true) => ({
    ...windowOf(fromMs, toMs, 'a', 'x'),
    isManual,
  });
  const [runs, earlier, overlaps, later] = [manual(0, 6), manual(6, 10), manual(19, 25), manual(30, 40)];
  const items = [later, overlaps, runs, earlier, manual(30, 40, false)];
  expect(replacedBy(items, { fromMs: 10, toMs: 20 }, new Set(['a', 'b']), 5)).toEqual([
    { item: earlier, devices: 1 },
    { item: later, devices: 1 },
  ]);
});
