import { expect, test } from 'vitest';
import { amount } from './amount.ts';

test.each([
  [0, 'bit/s', '0 bit/s'],
  [999, 'bit/s', '999 bit/s'],
  [8_234_000_000, 'bit/s', '8.23 Gbit/s'],
  [41_000_000, 'bit/s', '41 Mbit/s'],
  [-2_500, 'W', '-2.5 kW'],
  [81.54, '%', '81.5 %'],
  [27, '°C', '27 °C'],
  [1_234, '', '1234'],
  [41_000_000, '', '41 M'],
  [12_345, 'rpm', '12345 rpm'],
  [0.03124, 's', '0.0312 s'],
  [0.00001, '', '1.00e-5'],
  [1e30, 'bit/s', '1.00e+30 bit/s'],
  [2.4, '', '2.4'],
])('%d %s is %s', (value, unit, words) => {
  expect(amount(value, unit)).toBe(words.replaceAll(' ', '\u00a0'));
});

test('no value is a dash, never zero', () => {
  expect([amount(null, '%'), amount(undefined, '')]).toEqual(['–', '–']);
});
