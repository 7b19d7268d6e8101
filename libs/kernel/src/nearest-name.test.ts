import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

test.each([
  ['limit', 'Limit'],
  ['Limt', 'Limit'],
  ['Offest', 'Offset'],
  ['OFFSET', 'Offset'],
  ['Duration', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('the name nearest to %s is %s', (sent, meant) => {
  expect(nearestName(sent, ['Filter', 'Limit', 'Offset'])).toBe(meant);
});
