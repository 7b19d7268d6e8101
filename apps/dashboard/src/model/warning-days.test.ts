import { expect, test } from 'vitest';
import { readWarningDays, warningDaysText } from './warning-days.ts';

test.each([
  ['', null, ''],
  ['30, 14, 7', [30, 14, 7], '30, 14, 7'],
  [' 30 14;7, ', [30, 14, 7], '30, 14, 7'],
  ['Never', [], 'never'],
  ['0', [0], '0'],
] as const)('%j is %j', (typed, days, shown) => {
  expect(readWarningDays(typed)).toEqual(days);
  expect(warningDaysText(days)).toBe(shown);
});

test('a text that is no list goes to the API as it is', () => {
  expect(readWarningDays('two weeks')).toBe('two weeks');
});
