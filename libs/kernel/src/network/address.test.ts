import { expect, test } from 'vitest';
import { clientNetwork, equivalentAddresses, ipv6Words, normalAddress } from './address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:0001:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('%s is a client of the network %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

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
  ['::192.0.2.33', ['0:0:0:0:0:0:c000:221', '192.0.2.33']],
])('%s may reach %j', (address, expected) => {
  expect(equivalentAddresses(address)).toEqual(expect.arrayContaining(expected));
});

test.each(['2001:db8::1', '::1', 'fe80::1', '64:ff9b:2::c000:221', '64:ff9c::c000:221'])(
  '%s carries no IPv4 address',
  (address) => expect(equivalentAddresses(address)).toEqual([expect.stringContaining(':')]),
);

test('an address behind a prefix of 96 bits is not also read as zeros of a shorter one', () => {
  expect(equivalentAddresses('64:ff9b:1::10.0.0.1')).toEqual(['64:ff9b:1:0:0:0:a00:1', '10.0.0.1']);
});

test.each(['192.0.2.1', 'x', ''])('%j has no words', (text) => expect(ipv6Words(text)).toBeUndefined());

test.each([
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:DB8:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['unknown', 'unknown'],
])('%s is shown as %s', (text, shown) => expect(normalAddress(text)).toBe(shown));
