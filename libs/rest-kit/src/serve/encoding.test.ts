import type { Context } from 'koa';
import { expect, test } from 'vitest';
import { preferredEncoding } from './encoding.ts';

test.each([
  ['', undefined],
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['BR;Q=0.5', 'br'],
  ['br;q=0.1, gzip;q=0.9', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.2, gzip;q=0.5', 'gzip'],
  ['identity;q=0', undefined],
  ['deflate', undefined],
  ['gzip;q=nonsense', undefined],
  ['gzip;q=2', undefined],
])('Accept-Encoding: %s prefers %s (RFC 9110, section 12.5.3)', (header, encoding) => {
  const context = { get: (name: string) => (name === 'Accept-Encoding' ? header : '') };
  expect(preferredEncoding(context as Context)).toBe(encoding);
});
