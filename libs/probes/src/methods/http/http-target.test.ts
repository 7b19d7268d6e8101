import { expect, test } from 'vitest';
import { parseHttpTarget } from './http-target.ts';

test.each([
  '',
  'example.org',
  'ftp://x.example',
  'http://',
  'http://-x.example/',
  'http://x y/',
  'http://%zz@x/',
  'https:///x',
  'http://x:0/',
  `http://x/${'y'.repeat(2040)}`,
])('refuses the URL %j', (url) => expect(parseHttpTarget(url).ok).toBe(false));

test.each([
  ['http://example.org', { host: 'example.org', port: 80, scheme: 'http', path: '/', user: undefined }],
  ['https://example.org/a?b=c', { host: 'example.org', port: 443, scheme: 'https', path: '/a?b=c' }],
  [
    'https://u%40x:p%20w@[::1]:8443/',
    { host: '::1', port: 8443, user: 'u@x', display: 'https://u%40x:***@[::1]:8443/' },
  ],
  ['http://u@example.org/?a=b', { user: 'u', password: undefined, display: 'http://u@example.org/?a=b' }],
  [`http://x/${'y'.repeat(2039)}`, { host: 'x' }],
])('takes the URL %s', (url, target) => {
  const parsed = parseHttpTarget(url);
  expect(parsed).toMatchObject({ ok: true, target });
  if (parsed.ok && url.includes(':p')) expect(parsed.target.password?.reveal()).toBe('p w');
});
