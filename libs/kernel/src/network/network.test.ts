import { expect, test } from 'vitest';
import { clientNetwork, equivalentAddresses, ipv6Words, normalAddress } from './address.ts';
import { createNetworkSet, createNetworkTable, isNetwork } from './network-set.ts';

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
  ['10.0.0.0/8', ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203'], ['11.0.0.1', '::10.1.2.3', '']],
  ['::ffff:10.0.0.0/104', ['10.1.2.3', '::ffff:a01:203'], ['11.0.0.1']],
  ['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2', '192.0.2.1.example']],
  ['0.0.0.0/0', ['1.2.3.4', '::ffff:1.2.3.4'], ['2001:db8::1']],
  ['2001:db8::/32', ['2001:db8:1::1', '[2001:db8::1]', '2001:db8::1%eth0'], ['2001:db9::1', '10.0.0.1']],
  ['::/0', ['2001:db8::1', '10.0.0.1'], ['x']],
  ['fe80::/10', ['fe80::1%eth0', 'febf::1'], ['fec0::1']],
])('%s holds %j and not %j', (network, inside, outside) => {
  const has = createNetworkSet([network]);
  expect(inside.map(has)).toEqual(inside.map(() => true));
  expect(outside.map(has)).toEqual(outside.map(() => false));
});

test.each([
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '::/129',
  'x/8',
  '',
  '10/8',
  '0x7f.1',
  '127.1',
  '010.0.0.1',
])('%j is no network', (text) => {
  expect(isNetwork(text)).toBe(false);
  expect(() => createNetworkSet([text])).toThrow(RangeError);
});

test.each([
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:DB8:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['unknown', 'unknown'],
])('%s is shown as %s', (text, shown) => expect(normalAddress(text)).toBe(shown));

test('the longest prefix decides, and of equal ones the last', () => {
  const rows = [
    { network: '::/0', value: 'all' },
    { network: '10.0.0.0/8', value: 'ten' },
    { network: '10.1.0.0/16', value: 'first' },
    { network: '::ffff:10.1.0.0/112', value: 'second' },
    { network: '2001:db8::/32', value: 'six' },
  ];
  const table = createNetworkTable(rows);
  expect(['10.1.2.3', '::ffff:10.9.0.1', '2001:db8::7', '192.0.2.1', '::1', 'no address'].map(table)).toEqual(
    ['second', 'ten', 'six', 'all', 'all', undefined],
  );
  expect(createNetworkTable(rows.slice(1))('192.0.2.1')).toBeUndefined();
});
