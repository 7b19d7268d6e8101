import { expect, test } from 'vitest';
import { planOf } from './many.ts';
import type { State } from './state.ts';

const row = (id: string, state: State, tags: readonly string[] = []) => {
  return { id, state, isEnabled: state !== 'Paused', tags };
};
const rows = [row('a', 'Up', ['x']), row('b', 'Down'), row('c', 'Maint'), row('d', 'Paused', ['y'])];

test.each([
  ['pause', ['a', 'b', 'c'], 1],
  ['resume', ['d'], 3],
  ['maintenance', ['a', 'b', 'd'], 1],
  ['remove', ['a', 'b', 'c', 'd'], 0],
] as const)('%s changes %j and leaves %i as they are', (act, ids, unchanged) => {
  const plan = planOf(act, rows);
  expect(plan.operations.map(({ Path }) => Path.split('/')[2])).toEqual(ids);
  expect(plan.unchanged).toBe(unchanged);
});

test('a tag is added to the others, and taken back by setting those', () => {
  const plan = planOf('tag', rows, 'y');
  expect(plan.operations.map(({ Body }) => Body)).toEqual([
    { Tags: ['x', 'y'] },
    { Tags: ['y'] },
    { Tags: ['y'] },
  ]);
  expect(plan.undo.map(({ Body }) => Body)).toEqual([{ Tags: ['x'] }, { Tags: [] }, { Tags: [] }]);
  expect(plan).toMatchObject({ down: 1, inMaintenance: 1, unchanged: 1 });
});

test('what is deleted cannot be taken back', () => {
  expect(planOf('remove', rows).undo).toEqual([]);
});
