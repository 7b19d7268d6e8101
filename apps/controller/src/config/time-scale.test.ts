import { expect, test } from 'vitest';
import { createTimeScale } from './time-scale.ts';

test('waiting times are true outside tests, and shorter in them, as far as the machine allows', () => {
  expect(createTimeScale(1)(60_000, 90_000)).toBe(60_000);
  expect(createTimeScale(60)(60_000)).toBe(1_000);
  expect(createTimeScale(60)(60_000, 5_000)).toBe(5_000);
});
