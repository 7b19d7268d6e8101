import { expect, test } from 'vitest';
import { conflictsOf } from './conflicts.ts';

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
