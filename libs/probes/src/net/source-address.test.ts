import { expect, test } from 'vitest';
import { withSource } from './source-address.ts';

const interfaces = {
  lo: [
    { address: '127.0.0.1', family: 'IPv4' as const },
    { address: '::1', family: 'IPv6' as const, scopeid: 0 },
  ],
  eth0: [
    { address: '10.0.0.5', family: 'IPv4' as const },
    { address: '10.0.0.6', family: 'IPv4' as const },
    { address: 'fe80::1', family: 'IPv6' as const, scopeid: 3 },
    { address: '2001:db8::5', family: 'IPv6' as const, scopeid: 0 },
  ],
  'eth0.7': [{ address: '10.7.0.5', family: 'IPv4' as const }],
};
const v4 = { address: '192.0.2.1', family: 4 } as const;
const v6 = { address: '2001:db8::99', family: 6 } as const;
const local = { address: 'fe80::9', family: 6 } as const;
const sources = (targets: Parameters<typeof withSource>[0], source: string) =>
  withSource(targets, source, interfaces).map((each) => `${each.address} from ${each.source}`);

test.each([
  ['10.0.0.6', [v4], ['192.0.2.1 from 10.0.0.6']],
  ['10.0.0.6', [v6, v4], ['192.0.2.1 from 10.0.0.6']],
  ['2001:DB8:0::5', [v6, v4], ['2001:db8::99 from 2001:db8::5']],
  ['eth0', [v6, v4], ['2001:db8::99 from 2001:db8::5', '192.0.2.1 from 10.0.0.5']],
  ['eth0.7', [v4], ['192.0.2.1 from 10.7.0.5']],
  ['eth0', [local], ['fe80::9 from fe80::1%3']],
  ['127.9.9.9', [v4], ['192.0.2.1 from 127.9.9.9']],
] as const)('SourceAddress %s', (source, targets, expected) => {
  expect(sources(targets, source)).toEqual(expected);
});

test.each([
  [
    '10.0.0.99',
    [v4],
    "this agent's host does not have the address 10.0.0.99 (SourceAddress) on an interface that is up",
  ],
  [
    'wan1',
    [v4],
    "this agent's host has no interface wan1 (SourceAddress) that is up; it has lo, eth0, eth0.7",
  ],
  ['eth0.7', [v6], "SourceAddress eth0.7 of this agent's host has no IPv6 address, which the target needs"],
  [
    '10.0.0.5',
    [v6],
    "SourceAddress 10.0.0.5 of this agent's host has no IPv6 address, which the target needs",
  ],
] as const)('SourceAddress %s is refused with code 10', (source, targets, message) => {
  expect(() => sources(targets, source)).toThrow(expect.objectContaining({ code: 10, message }));
});
