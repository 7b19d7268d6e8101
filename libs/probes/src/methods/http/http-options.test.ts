import { expect, test } from 'vitest';
import { httpOptions } from './http-options.ts';

test.each([
  [{ Header: {} }],
  [{ Headers: { 'a b': 'x' } }],
  [{ Headers: { a: 'x\r\ny: z' } }],
  [{ Headers: { 'content-length': '1' } }],
  [{ ExpectRegex: '(' }],
  [{ ExpectJSONPath: '$[?(@.a)]' }],
  [{ ExpectStatus: ['2xx'] }],
  [{ Proxy: 'socks://x' }],
  [{ MaxRedirects: '5' }],
  [{ Headers: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`X-${at}`, ''])) }],
])('refuses the Options %o', (options) => expect(httpOptions.safeParse(options).success).toBe(false));

test('takes 100 headers', () => {
  const Headers = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`X-${at}`, '']));
  expect(httpOptions.safeParse({ Headers }).success).toBe(true);
});
