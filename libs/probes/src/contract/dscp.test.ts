import { expect, test } from 'vitest';
import { dscpOf, dscpPattern } from './dscp.ts';

test.each([
  ['0', 0],
  ['46', 46],
  ['63', 63],
  ['BE', 0],
  ['LE', 1],
  ['VA', 44],
  ['EF', 46],
  ['CS0', 0],
  ['CS5', 40],
  ['CS7', 56],
  ['AF11', 10],
  ['AF13', 14],
  ['AF41', 34],
  ['AF43', 38],
])('%s is %i', (text, value) => {
  expect(dscpPattern.test(text)).toBe(true);
  expect(dscpOf(text)).toBe(value);
});

test.each(['64', '-1', '007', 'ef', 'CS8', 'AF44', 'AF51', '', '4 6', '0x2e'])('%s is none', (text) => {
  expect(dscpPattern.test(text)).toBe(false);
});
