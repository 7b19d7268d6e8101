import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Reads an IP address in its usual form, with or without brackets and zone; undefined for other texts. An IPv4 address
 * is returned as the IPv6 address that it is mapped to (RFC 4291 section 2.5.5.2), so that both forms of one address
 * are equal.
 */
export function parseAddress(text: string): ipaddr.IPv6 | undefined {
  if (isIP(text) === 4) return mapped(text);
  const bare = bareAddress(text);
  // ipaddr.js also reads forms such as 0x7f.1, which no caller may use.
  switch (isIP(bare)) {
    case 4:
      return mapped(bare);
    case 6:
      return ipaddr.IPv6.parse(withHexTail(bare));
    default:
      return undefined;
  }
}

/** The IPv6 address that an IPv4 address (dotted, four decimal numbers) is mapped to. */
function mapped(address: string): ipaddr.IPv6 {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return new ipaddr.IPv6([0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d]);
}

/**
 * `::192.0.2.1` as `::c000:201`, because ipaddr.js takes the first form for an IPv4-mapped address, which it is not.
 */
function withHexTail(address: string): string {
  const [, head = '', tail] = /^(.*:)([\d.]+\.[\d.]+)$/.exec(address) ?? [];
  if (tail === undefined) return address;
  const words = mapped(tail).parts.slice(6);
  return head + words.map((word) => word.toString(16)).join(':');
}

/** The text without brackets and without the zone of a link-local address. */
function bareAddress(text: string): string {
  return text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
}

/**
 * The address in its usual form: an IPv4-mapped address as IPv4, lower case, without zone. Other texts are returned
 * unchanged.
 */
export function normalAddress(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString();
}

/** The eight words of an IPv6 address; undefined for other texts. */
export function ipv6Words(text: string): readonly number[] | undefined {
  return isIP(text) === 6 ? parseAddress(text)?.parts : undefined;
}
