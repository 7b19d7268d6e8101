import { expect, test } from 'vitest';
import { outageRank } from './outage-rank.ts';

const dayMs = 86_400_000;
const now = 1_000 * dayMs;
const endedDaysAgo = (...days: number[]) => days.map((each) => ({ endMs: now - each * dayMs }));

test.each([
  ['none in 90 days', [], 400, { number: 1, days: 90 }],
  ['none since it was added', [], 12.5, { number: 1, days: 12 }],
  ['the last one 61 days ago', [61.4, 70], 400, { number: 1, days: 61 }],
  ['two within a week', [1, 3, 30], 400, { number: 3, days: 7 }],
  ['one a minute ago', [0.001], 1, { number: 2, days: 7 }],
] as const)('%s', (_, before, known, expected) => {
  expect(outageRank(now, endedDaysAgo(...before), known)).toEqual(expected);
});

test('a device that was added today says nothing', () => {
  expect(outageRank(now, [], 0.3)).toBeUndefined();
});
