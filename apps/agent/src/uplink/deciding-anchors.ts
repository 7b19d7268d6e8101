import { createNetworkTable } from '@vantage/kernel';
import type { Anchor } from '@vantage/proto';
import type { OwnNetworks } from './own-networks.ts';

/** An anchor without Networks has everything behind it. */
const everything = '::/0';

/**
 * Returns the indexes of the anchors that decide about an error of a check with these addresses. Empty: the anchors say
 * nothing about it.
 */
type FindDecidingAnchors = (addresses: readonly string[], ownNetworks: OwnNetworks) => readonly number[];

/*
 * Anchors are numbered near to far. Their Networks form one table: an address belongs to the anchor with the longest
 * matching prefix.
 *
 *   addresses of the check                  | anchors that decide
 *   in the agent's own subnets              | none, because nothing is in between
 *   in the Networks of anchors              | for each address the anchor with the longest prefix; of equal ones the farther one
 *   in the Networks of no anchor            | none
 *   none (the name was not resolved)        | all, because any of them may be on the route to the name server
 */

/** Creates the function that finds the deciding anchors. Pure. */
export function createDecidingAnchors(anchors: readonly Pick<Anchor, 'networks'>[]): FindDecidingAnchors {
  const anchorOf = createNetworkTable(
    anchors.flatMap(({ networks }, value) =>
      (networks.length === 0 ? [everything] : networks).map((network) => ({ network, value })),
    ),
  );
  const all = anchors.map((_anchor, index) => index);
  return (addresses, ownNetworks) => {
    if (addresses.length === 0) return all;
    const places = addresses
      .filter((address) => !ownNetworks(address))
      .flatMap((address) => anchorOf(address) ?? []);
    return [...new Set(places)].sort((a, b) => a - b);
  };
}
