import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

test('waiting times are true outside tests, and shorter in them, as far as the machine allows', () => {
  expect(createPace(1)(60_000, 90_000)).toBe(60_000);
  expect(createPace(60)(60_000)).toBe(1_000);
  expect(createPace(60)(60_000, 5_000)).toBe(5_000);
});
