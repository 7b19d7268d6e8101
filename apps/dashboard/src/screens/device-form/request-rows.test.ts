import { expect, test } from 'vitest';
import { Unsent } from './device-draft.ts';
import { changePart, hasFault, moveRow, newRequest, requestRows } from './request-rows.ts';

test('a request with a part that cannot be sent has a fault', () => {
  expect(hasFault({ Name: 'a' })).toBe(false);
  expect(hasFault({ Name: 'a', MaxTimeMs: new Unsent('soon', 'no number') })).toBe(true);
});

const rows = [{ Name: 'a' }, { Name: 'b', URL: '/b' }, { Name: 'c' }];
const names = (list: readonly { readonly [key: string]: unknown }[]) => list.map(({ Name }) => Name);

test.each([
  [0, 2, ['b', 'c', 'a']],
  [2, 0, ['c', 'a', 'b']],
  [0, -1, ['a', 'b', 'c']],
  [2, 3, ['a', 'b', 'c']],
])('a request moves from %i to %i', (from, to, expected) => {
  expect(names(moveRow(rows, from, to))).toEqual(expected);
});

test('a part is set, and removed when it is empty', () => {
  expect(changePart(rows, 0, 'URL', '/x')[0]).toEqual({ Name: 'a', URL: '/x' });
  expect(changePart(rows, 1, 'URL', undefined)).toEqual([{ Name: 'a' }, { Name: 'b' }, { Name: 'c' }]);
});

test('a new request has a name of its own', () => {
  expect(newRequest([])).toEqual({ Name: 'Step 1' });
  expect(newRequest([{ Name: 'Step 2' }])).toEqual({ Name: 'Step 3' });
});

test.each([[undefined], ['x'], [[1, 'a', null]]])('%j has no requests', (value) => {
  expect(requestRows(value)).toEqual([]);
});
