import { expect, test } from 'vitest';
import { isPrivateHost } from './private-host.ts';

test.each([
  'localhost',
  'a.localhost',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '::1',
  'fd00::1',
  'fe80::1',
  '::ffff:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::10.0.0.1',
  '64:ff9b:1:a00:0:100::',
  '64:ff9b:1:ab0a::1:0:0',
  '64:ff9b:1:abcd:a:0:100:0',
  '2002:a00:1::1',
])('%s is another machine at every Location', (host) => expect(isPrivateHost(host)).toBe(true));

test.each([
  'example.org',
  '192.0.2.1',
  '2001:db8::1',
  '64:ff9b::192.0.2.1',
  '64:ff9b:1::192.0.2.1',
  '64:ff9b:1:c000:2:100::',
])('%s is one machine', (host) => expect(isPrivateHost(host)).toBe(false));
