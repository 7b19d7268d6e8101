import { expect, test } from 'vitest';
import { sortRows } from './device-order.ts';
import type { SortKey } from './filter-text.ts';
import type { DeviceState } from './state.ts';

const rowOf = (order: string, state: DeviceState, more: object = {}) => ({
  id: order,
  order,
  state,
  method: 'PING',
  severity: 'critical',
  sinceMs: 0,
  tags: [],
  locations: [],
  downBecause: null,
  lastCheck: null,
  ...more,
});
const check = (ms: number) => ({ lastCheck: { at: '2026-01-01T00:00:00Z', ms, isGood: true } });

const sorted = (rows: readonly ReturnType<typeof rowOf>[], by: SortKey, isReverse = false) =>
  sortRows(rows, { by, isReverse }).map(({ order }) => order);

test('the worst comes first, and a cause before what is behind it', () => {
  const rows = [
    rowOf('up', 'Up'),
    rowOf('access point', 'Down', { downBecause: 'router' }),
    rowOf('router', 'Down'),
  ];
  expect(sorted(rows, 'worst')).toEqual(['router', 'access point', 'up']);
  expect(sorted(rows, 'worst', true)).toEqual(['up', 'access point', 'router']);
});

test('rows without a value come last in both directions', () => {
  const rows = [rowOf('b', 'Up', check(5)), rowOf('none', 'Up'), rowOf('a', 'Up', check(9))];
  expect(sorted(rows, 'last')).toEqual(['a', 'b', 'none']);
  expect(sorted(rows, 'last', true)).toEqual(['b', 'a', 'none']);
});

test('equal rows are in the order of their names', () => {
  const rows = [rowOf('c', 'Up'), rowOf('a', 'Down'), rowOf('b', 'Up')];
  expect(sorted(rows, 'method')).toEqual(['a', 'b', 'c']);
  expect(sorted(rows, 'method', true)).toEqual(['a', 'b', 'c']);
});
