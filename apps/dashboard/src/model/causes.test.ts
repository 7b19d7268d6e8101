import { expect, test } from 'vitest';
import { causesOf } from './causes.ts';
import type { DeviceState } from './state.ts';

test('what is Down because of a master is behind the first cause, also in a circle', () => {
  const device = (id: string, downBecause: string | null) => ({
    id,
    downBecause,
    sinceMs: 0,
    state: 'Down' as DeviceState,
  });
  const chain = causesOf([device('a', null), device('b', 'a'), device('c', 'b'), device('d', null)]);
  expect(chain.map(({ row, behind }) => [row.id, behind.map(({ id }) => id)])).toEqual([
    ['a', ['b', 'c']],
    ['d', []],
  ]);
  const circle = causesOf([device('a', 'b'), device('b', 'a')]);
  expect(
    circle
      .flatMap(({ row, behind }) => [row, ...behind])
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['a', 'b']);
});
