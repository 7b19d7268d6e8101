import { expect, test } from 'vitest';
import { ipv4Within, ipv6Words } from './ipv4-in-ipv6.ts';

// RFC 6052 section 2.4 with 192.0.2.33, in the prefix for local use of RFC 8215.
test.each([
  ['::ffff:192.0.2.33', ['192.0.2.33']],
  ['64:ff9b::192.0.2.33', ['192.0.2.33']],
  ['64:ff9b:1:c000:2:2100::', ['192.0.2.33']],
  ['64:ff9b:1:ab:c0:2:2100::', ['192.0.2.33']],
  ['64:ff9b:1:ab:c0:0002:2100:0', ['192.0.2.33']],
  ['64:ff9b:1:abc0:0:221::', ['192.0.2.33']],
  ['64:ff9b:1:abcd:c0:2:2100:0', ['192.0.2.33']],
  ['64:ff9b:1::192.0.2.33', ['192.0.2.33']],
  ['64:ff9b:1:abcd:0:0:c000:221', ['192.0.2.33']],
  ['2002:c000:221::1', ['192.0.2.33']],
  ['fe80::5efe:c000:221', ['192.0.2.33']],
])('%s may reach %j', (address, expected) => {
  expect(ipv4Within(ipv6Words(address) ?? []).addresses).toEqual(expect.arrayContaining(expected));
});

test.each(['2001:db8::1', '::1', 'fe80::1', '64:ff9b:2::c000:221', '64:ff9c::c000:221'])(
  '%s carries no IPv4 address',
  (address) => expect(ipv4Within(ipv6Words(address) ?? []).addresses).toEqual([]),
);

test('an address behind a prefix of 96 bits is not also read as zeros of a shorter one', () => {
  expect(ipv4Within(ipv6Words('64:ff9b:1::10.0.0.1') ?? []).addresses).toEqual(['10.0.0.1']);
});

test.each(['192.0.2.1', 'x', ''])('%j has no words', (text) => expect(ipv6Words(text)).toBeUndefined());
