import { parseAddress } from './address.ts';
import { ipv4Within } from './embedded-ipv4.ts';

/**
 * Every form in which an address reaches a machine: the address itself and the IPv4 addresses that it may carry
 * (`ipv4Within`). A mapped address is its IPv4 address and nothing else. The unspecified address reaches this machine
 * itself, so it is the loopback address too. Empty for a text that is no address.
 */
export function equivalentAddresses(text: string): readonly string[] {
  const address = parseAddress(text);
  if (address === undefined) return [];
  if (address.isIPv4MappedAddress()) return withLoopback(address.toIPv4Address().toString());
  const words = address.parts;
  if (words.every((word) => word === 0)) return [canonical(words), '0:0:0:0:0:0:0:1', '127.0.0.1'];
  return [canonical(words), ...ipv4Within(words).flatMap(withLoopback)];
}

function withLoopback(address: string): readonly string[] {
  return address === '0.0.0.0' ? [address, '127.0.0.1'] : [address];
}

function canonical(words: readonly number[]): string {
  return words.map((word) => word.toString(16)).join(':');
}
