import { expect, test } from 'vitest';
import { checkIntervalMs, createNoticeLimiter, inAll, perSource } from './notice-limiter.ts';

test('an address has ten notices at once, then one in ten seconds, and the next one tells how many were dropped', () => {
  const limiter = createNoticeLimiter(0);
  const kept = Array.from({ length: 25 }, () => limiter.admit('192.0.2.1', 0).isKept).filter(Boolean).length;
  expect(kept).toBe(perSource.burst);
  expect(limiter.admit('192.0.2.2', 0)).toEqual({ isKept: true, dropped: 0 });
  expect(limiter.admit('192.0.2.1', 10_000)).toEqual({ isKept: true, dropped: 15 });
  expect(limiter.admit('192.0.2.1', 10_000)).toEqual({ isKept: false, dropped: 1 });
});

test('all addresses together have a limit, which one address alone cannot reach', () => {
  const limiter = createNoticeLimiter(0);
  for (let time = 0; time < 1_000; time += 1) limiter.admit('192.0.2.1', 0);
  const kept = Array.from({ length: 500 }, (_, at) => limiter.admit(`10.0.0.${at}`, 0).isKept).filter(
    Boolean,
  );
  expect(kept).toHaveLength(inAll.burst - perSource.burst);
});

test('a device is checked once in ten seconds', () => {
  const limiter = createNoticeLimiter(0);
  expect([0, 5_000, checkIntervalMs, checkIntervalMs + 1].map((at) => limiter.mayCheck(7, at))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(limiter.mayCheck(8, 5_000)).toBe(true);
});
