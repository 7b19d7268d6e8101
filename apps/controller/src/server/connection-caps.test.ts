import { describe, expect, test } from 'vitest';
import { admit, connectionCaps } from './connection-caps.ts';

describe('the caps', () => {
  test.each([
    [Number.POSITIVE_INFINITY, { perNetwork: 1024, total: 4096 }],
    [1_048_576, { perNetwork: 1024, total: 4096 }],
    [4_096, { perNetwork: 480, total: 1920 }],
    [1_024, { perNetwork: 256, total: 384 }],
    [64, { perNetwork: 32, total: 32 }],
  ])('of %d descriptors leave the process its own', (descriptors, caps) => {
    expect(connectionCaps(descriptors)).toEqual(caps);
  });

  const caps = { perNetwork: 2, total: 3 };
  test.each([
    [{ fromNetwork: 1, open: 2, isProxy: false }, 'admit'],
    [{ fromNetwork: 2, open: 2, isProxy: false }, 'refuse'],
    [{ fromNetwork: 2, open: 2, isProxy: true }, 'admit'],
    [{ fromNetwork: 0, open: 3, isProxy: false }, 'admit-and-evict'],
    [{ fromNetwork: 2, open: 3, isProxy: false }, 'refuse'],
  ])('a new connection when %o: %s', (now, expected) => {
    expect(admit(now, caps)).toBe(expected);
  });
});
