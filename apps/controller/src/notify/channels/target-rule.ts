import { createNetworkSet, equivalentAddresses, isPrivateHost } from '@vantage/kernel';

/** Addresses that no webhook of the Internet has, besides the private ones: protocol assignments, benchmarks, a cloud's metadata, site-local, multicast, reserved. */
const isSpecial = createNetworkSet([
  '168.63.129.16',
  '192.0.0.0/24',
  '198.18.0.0/15',
  '224.0.0.0/3',
  'fec0::/10',
  'ff00::/8',
]);

/**
 * Whether a webhook may connect to an address (loopback, private, link-local, shared, metadata and multicast addresses are refused, also
 * inside of an IPv6 address as NAT64 and others carry them). A text that is no address is refused. Pure.
 */
export function isPublicAddress(address: string): boolean {
  const forms = equivalentAddresses(address);
  return forms.length > 0 && !isPrivateHost(address) && !forms.some(isSpecial);
}
