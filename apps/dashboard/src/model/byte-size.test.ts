import { expect, test } from 'vitest';
import { sizeOf } from './byte-size.ts';

test.each([
  [0, '0\u00a0B'],
  [1023, '1023\u00a0B'],
  [1024, '1.0\u00a0KiB'],
  [1_610_612_736, '1.5\u00a0GiB'],
  [214_748_364_800, '200\u00a0GiB'],
])('%s bytes are %s', (bytes, words) => {
  expect(sizeOf(bytes)).toBe(words);
});
