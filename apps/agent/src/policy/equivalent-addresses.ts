import { isIP } from 'node:net';
import { ipv4Within, ipv6Words } from '@vantage/kernel';

/**
 * Every way in which an address reaches a machine: the address itself and the IPv4 addresses that it may carry (`ipv4Within`). A mapped
 * address is its IPv4 address and nothing else. The unspecified address reaches this machine itself, so it is the loopback address too.
 * Empty for what is no address.
 */
export function equivalentAddresses(address: string): readonly string[] {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(bare) === 4) return withLoopback(bare);
  const words = ipv6Words(bare);
  if (words === undefined) return [];
  if (words.every((word) => word === 0)) return [canonical(words), '0:0:0:0:0:0:0:1', '127.0.0.1'];
  const { addresses, isSame } = ipv4Within(words);
  return [...(isSame ? [] : [canonical(words)]), ...addresses.flatMap(withLoopback)];
}

function withLoopback(address: string): readonly string[] {
  return address === '0.0.0.0' ? [address, '127.0.0.1'] : [address];
}

function canonical(words: readonly number[]): string {
  return words.map((word) => word.toString(16)).join(':');
}
