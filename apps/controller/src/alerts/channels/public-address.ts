import { lookup as lookupName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { createNetworkSet, equivalentAddresses, isPrivateHost } from '@vantage/kernel';
import { ForbiddenTargetError } from './fault-text.ts';

/** Resolves names like the system does, and refuses a name as soon as one of its addresses is not public. */
export const lookupPublic: LookupFunction = (name, options, done) => {
  lookupName(name, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, '');
    const bad = found.find(({ address }) => !isPublicAddress(address));
    if (bad !== undefined) return done(forbidden(bad.address), '');
    const [first] = found;
    if (options.all === true) return done(null, found);
    return first === undefined
      ? done(new Error(`${name} has no address`), '')
      : done(null, first.address, first.family);
  });
};

export function forbidden(address: string): ForbiddenTargetError {
  return new ForbiddenTargetError(
    `${address} is a private or special address; an admin can permit it on the page under Account (VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true)`,
  );
}

/**
 * Addresses that no public webhook has, besides the private ones: those that IANA's registries of special-purpose
 * addresses (RFC 6890, as of 2026) do not list as globally reachable, a cloud's metadata service, and site-local,
 * multicast and reserved addresses.
 */
const isSpecial = createNetworkSet([
  '168.63.129.16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fec0::/10',
  'ff00::/8',
]);

/**
 * Whether a webhook may connect to an address (loopback, private, link-local, shared, metadata and multicast addresses
 * are refused, also inside of an IPv6 address as NAT64 and others carry them). A text that is no address is refused.
 * Pure.
 */
export function isPublicAddress(address: string): boolean {
  const forms = equivalentAddresses(address);
  return forms.length > 0 && !isPrivateHost(address) && !forms.some(isSpecial);
}
