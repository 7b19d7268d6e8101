import { expect, test } from 'vitest';
import { briefly, clockTime, inFull, milliseconds, percent } from './format.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test.each([
  [briefly(41 * 60 + 5), '41 min'],
  [briefly(9 * 3_600), '9 h'],
  [briefly(31 * 86_400), '31 d'],
  [inFull(4_358), '1 h 12 min 38 s'],
  [inFull(0.4), '0 s'],
  [milliseconds(0.84), '0.8 ms'],
  [milliseconds(0.04), '0.04 ms'],
  [milliseconds(12.4), '12 ms'],
  [milliseconds(1_234), '1.2 s'],
  [milliseconds(null), '–'],
  [percent(99.9999), '99.999 %'],
  [percent(100), '100 %'],
  [clockTime('2026-02-25T23:38:03+01:00', '2026-02-25'), '23:38:03'],
  [clockTime('2026-02-25T23:38:03+01:00', '2026-02-26'), '02-25 23:38:03'],
])('%s is shown as %s', (shown, expected) => {
  expect(plain(shown)).toBe(expected);
});
