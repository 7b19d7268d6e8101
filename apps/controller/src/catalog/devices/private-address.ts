import { BlockList, isIP } from 'node:net';
import { ipv4Within, ipv6Words } from '@vantage/kernel';

/** Addresses that mean something else elsewhere: loopback, private, link-local, shared (RFC 1918, 3927, 4193, 4291, 6598, 1122). */
const networks: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
];

/** Is this host an address, or `localhost`, that means another machine at every Location? */
export function isPrivateHost(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost' || host.endsWith('.localhost');
  const list = new BlockList();
  for (const [address, bits, kind] of networks) list.addSubnet(address, bits, kind);
  if (list.check(host, family === 6 ? 'ipv6' : 'ipv4')) return true;
  // A private IPv4 address in the dress of an IPv6 one is still private.
  return ipv4Within(ipv6Words(host) ?? []).addresses.some((each) => list.check(each, 'ipv4'));
}
