import { expect, test } from 'vitest';
import { percentile } from './percentile.ts';

test('percentiles go by nearest rank', () => {
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([1, 2, 3, 4], 0.95)).toBe(4);
  expect(percentile([], 0.5)).toBeUndefined();
});
