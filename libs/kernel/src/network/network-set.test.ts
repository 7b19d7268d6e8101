import { expect, test } from 'vitest';
import { createNetworkSet, createNetworkTable, isNetwork } from './network-set.ts';

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
