import { expect, test } from 'vitest';
import { endOf } from './key-end.ts';

test.each([
  ['never', '', null],
  ['d30', '', '2027-01-29T23:59:59'],
  ['d365', '', '2027-12-30T23:59:59'],
  ['date', '2028-02-29', '2028-02-29T23:59:59'],
] as const)('a key that ends %s %s has the end %s', (choice, date, end) => {
  expect(endOf(choice, date, '2026-12-30')).toBe(end);
});
