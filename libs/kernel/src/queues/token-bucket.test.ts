import { expect, test } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

test('a burst passes, then one token for each period', () => {
  const bucket = new TokenBucket({ burst: 3, perSecond: 2 }, 1_000);
  expect([1_000, 1_000, 1_000, 1_000].map((nowMs) => bucket.take(nowMs))).toEqual([0, 0, 0, 500]);
  expect(bucket.take(1_250)).toBe(250);
  expect(bucket.take(1_500)).toBe(0);
  expect(bucket.take(1_500)).toBe(500);
});

test('it is full again after the time of a burst, and never more than full', () => {
  const bucket = new TokenBucket({ burst: 2, perSecond: 1 }, 0);
  expect(bucket.isFull(0)).toBe(true);
  bucket.take(0);
  expect([999, 1_000].map((nowMs) => bucket.isFull(nowMs))).toEqual([false, true]);
  expect([1e6, 1e6, 1e6].map((nowMs) => bucket.take(nowMs))).toEqual([0, 0, 1_000]);
});
