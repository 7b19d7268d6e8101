import { equivalentAddresses } from './address.ts';
import { createNetworkSet } from './network-set.ts';

/**
 * Addresses that reach a different machine from each network: loopback, private, link-local, shared (RFC 1918, 3927,
 * 4193, 4291, 6598, 1122).
 */
const isPrivate = createNetworkSet([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
]);

/**
 * Whether a host is `localhost` or an address that reaches a different machine from each Location, also as an IPv4
 * address inside an IPv6 one.
 */
export function isPrivateHost(host: string): boolean {
  const addresses = equivalentAddresses(host);
  if (addresses.length === 0) return host === 'localhost' || host.endsWith('.localhost');
  return addresses.some(isPrivate);
}
