import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Reads an IP address in its usual form, with or without brackets and zone; undefined for other texts. An IPv4 address
 * is returned as its mapped IPv6 address (RFC 4291 section 2.5.5.2), so that both forms of one address are equal.
 */
export function parseAddress(text: string): ipaddr.IPv6 | undefined {
  if (isIP(text) === 4) return mapped(text);
  const bare = bareAddress(text);
  // ipaddr.js also reads forms such as 0x7f.1, which are not accepted here.
  switch (isIP(bare)) {
    case 4:
      return mapped(bare);
    case 6:
      return ipaddr.IPv6.parse(withHexTail(bare));
    default:
      return undefined;
  }
}

/** The mapped IPv6 address of a dotted IPv4 address. */
function mapped(address: string): ipaddr.IPv6 {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return new ipaddr.IPv6([0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d]);
}

/** `::192.0.2.1` as `::c000:201`, because ipaddr.js mistakes the first form for an IPv4-mapped address. */
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

/**
 * The key under which a client's requests are counted: an IPv4 address (also when it is mapped into IPv6, RFC 4291
 * section 2.5.5.2), or the first 64 bits of an IPv6 address (RFC 4291 section 2.5.1), because a client can use all
 * addresses of such a network. Other texts are returned unchanged.
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

/**
 * The greater network of a `clientNetwork`, which may belong to one owner: the first 48 bits of an IPv6 address (RFC
 * 6177, section 2), the first 24 of an IPv4 address. Other texts are returned unchanged.
 */
export function greaterNetwork(network: string): string {
  const sign = network.includes(':') ? ':' : '.';
  const parts = network.split(sign);
  return parts.length === 4 ? parts.slice(0, 3).join(sign) : network;
}

/**
 * The IPv4 addresses that an IPv6 address may reach, from its eight words: IPv4-compatible (RFC 4291 section 2.5.5.1),
 * IPv4-translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380) and ISATAP (RFC 5214). There are
 * several if each network chooses the length of the prefix.
 */
function ipv4Within(words: readonly number[]): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  const zeros = a === 0 && b === 0 && c === 0 && d === 0;
  const isCompatible = zeros && e === 0 && f === 0 && (g !== 0 || h > 1);
  const isTranslated = zeros && e === 0xffff && f === 0;
  const isIsatap = (e & 0xfdff) === 0 && f === 0x5efe;
  const isNat64 = a === 0x64 && b === 0xff9b;
  const addresses = [
    ...(isCompatible || isTranslated || isIsatap ? [dotted(g, h)] : []),
    ...(isNat64 ? nat64(words) : []),
    ...(a === 0x2002 ? [dotted(b, c)] : []),
    ...(a === 0x2001 && b === 0 ? [dotted(g ^ 0xffff, h ^ 0xffff)] : []),
  ];
  return [...new Set(addresses)];
}

/**
 * 64:ff9b::/96 has the address in its last 32 bits. In 64:ff9b:1::/48 (RFC 8215) each network chooses a prefix of 48,
 * 56, 64 or 96 bits, and the address follows it, around the bits 64 to 71 (RFC 6052 section 2.2). All four are read. A
 * result that begins with 0 is left out: it is the zeros of a longer prefix.
 */
function nat64([, , c = 0, d = 0, e = 0, f = 0, g = 0, h = 0]: readonly number[]): readonly string[] {
  const last = dotted(g, h);
  if (c === 0 && d === 0 && e === 0 && f === 0) return [last];
  if (c !== 1) return [];
  const after48 = dotted(d, ((e & 0xff) << 8) | (f >> 8));
  const after56 = dotted(((d & 0xff) << 8) | (e & 0xff), f);
  const after64 = dotted(((e & 0xff) << 8) | (f >> 8), ((f & 0xff) << 8) | (g >> 8));
  const found = [last, after48, after56, after64].filter((address) => !address.startsWith('0.'));
  return found.length === 0 ? [last] : found;
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/**
 * All addresses that may reach the same machine: the address itself and the IPv4 addresses that it may contain
 * (`ipv4Within`). A mapped address is only its IPv4 address. The unspecified address reaches this machine, so the
 * loopback address is included. Empty for a text that is no address.
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
