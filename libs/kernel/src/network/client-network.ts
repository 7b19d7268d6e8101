import { parseAddress } from './address.ts';

/**
 * The network that one client has to itself, as a name to count by: an IPv4 address (also when it is mapped into IPv6,
 * RFC 4291 section 2.5.5.2), or the first 64 bits of an IPv6 address (RFC 4291 section 2.5.1), of which a client can
 * take any number. Other texts are returned unchanged.
 */
export function clientNetwork(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return address.parts
    .slice(0, 4)
    .map((word) => word.toString(16))
    .join(':');
}
