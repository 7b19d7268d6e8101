import { create } from '@bufbuild/protobuf';
import { AnchorSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { createDecidingAnchors } from './deciding-anchors.ts';
import type { OwnNetworks } from './own-networks.ts';

const own: OwnNetworks = (address) => address.startsWith('192.168.0.');

const anchors = (...networks: readonly (readonly string[])[]) =>
  networks.map((one, i) =>
    create(AnchorSchema, { name: `a${i}`, target: `192.0.2.${i}`, networks: [...one] }),
  );

const chain = anchors([], ['10.0.0.0/8'], ['10.1.0.0/16', '2001:db8::/32']);
const twoEverything = anchors(['10.0.0.0/8'], [], []);

test.each([
  ['the own subnet lies before every anchor', chain, ['192.168.0.7'], []],
  ['an anchor without Networks has everything behind it', chain, ['198.51.100.1'], [0]],
  ['the middle anchor has what it names', chain, ['10.9.0.1'], [1]],
  ['the most exact network counts', chain, ['10.1.0.1'], [2]],
  ['IPv6', chain, ['2001:db8::1'], [2]],
  ['an IPv4-mapped address is its IPv4 address', chain, ['::ffff:10.1.0.1'], [2]],
  ['each address has its anchor', chain, ['10.1.0.1', '198.51.100.1', '192.168.0.7'], [0, 2]],
  ['a name that was not resolved may lie behind any', chain, [], [0, 1, 2]],
  ['of equal networks the farther anchor counts', twoEverything, ['198.51.100.1'], [2]],
  ['a near anchor with Networks keeps them to itself', twoEverything, ['10.1.0.1'], [0]],
  ['what no anchor names is left to the uplink rule', anchors(['10.0.0.0/8']), ['198.51.100.1'], []],
  ['no anchors at all', [], ['198.51.100.1'], []],
  ['no anchors, and a name that was not resolved', [], [], []],
] as const)('%s', (_name, all, addresses, places) => {
  expect(createDecidingAnchors(all)(addresses, own)).toEqual(places);
});
