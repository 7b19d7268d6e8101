import { expect, test } from 'vitest';
import type { DeviceState } from './state.ts';
import { tagTree } from './tag-tree.ts';

test('a device counts once in each level of its tags', () => {
  const rows = [
    { id: '1', state: 'Down' as DeviceState, tags: ['berlin/a', 'berlin/b'] },
    { id: '2', state: 'Up' as DeviceState, tags: ['berlin/a'] },
  ];
  const [berlin] = tagTree(rows);
  expect(berlin).toMatchObject({ name: 'berlin', total: 2, down: 1, worst: 'Down' });
  expect(berlin?.branches.map(({ name, total, down }) => [name, total, down])).toEqual([
    ['a', 2, 1],
    ['b', 1, 1],
  ]);
});
