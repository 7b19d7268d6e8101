import { expect, test } from 'vitest';
import { createRateLimiter } from './rate-limiter.ts';

test('a burst passes, then so many a second, each key by itself', () => {
  const limiter = createRateLimiter<string>({ burst: 3, perSecond: 2, maxKeys: 10 });
  const passed = (key: string, nowMs: number) =>
    Array.from({ length: 10 }, () => limiter.allow(key, nowMs)).filter(Boolean).length;
  expect(passed('a', 0)).toBe(3);
  expect(passed('b', 0)).toBe(3);
  expect(passed('a', 1_000)).toBe(2);
  expect(passed('a', 60_000)).toBe(3);
});

test('it remembers no more keys than it may, and forgets the quiet ones', () => {
  const limiter = createRateLimiter<number>({ burst: 1, perSecond: 1, maxKeys: 100 });
  for (let key = 0; key < 1_000; key += 1) limiter.allow(key, 0);
  expect(limiter.keys).toBe(100);
  expect(limiter.allow(2_000, 0)).toBe(false);
  expect(limiter.allow(2_000, 5_000)).toBe(true);
  expect(limiter.keys).toBe(1);
});
