import { descriptorLimit } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { checksWithin } from './check-concurrency.ts';

test.each([
  [1_048_576, 500, 500],
  [1024, 500, 488],
  [256, 500, 104],
  [64, 500, 8],
  [40, 500, 1],
  [Number.POSITIVE_INFINITY, 10_000, 10_000],
])('of %i descriptors %i checks at once leave the agent its own: %i', (limit, wanted, checks) => {
  expect(checksWithin(limit, wanted)).toBe(checks);
});

test('the limit of this process is known', () => {
  expect(descriptorLimit()).toBeGreaterThan(0);
});
