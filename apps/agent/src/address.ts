import { isIP } from 'node:net';

/**
 * Every way in which an address reaches a machine: the address itself and the IPv4 address inside it, where it carries one.
 * IPv4-mapped (RFC 4291, 2.5.5.2), IPv4-compatible (2.5.5.1), IPv4-translated (RFC 2765), NAT64 (RFC 6052; 64:ff9b::/96 and the
 * local 64:ff9b:1::/48 of RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380) and ISATAP (RFC 5214). A mapped address is its IPv4
 * address and nothing else. The unspecified address reaches this machine itself, so it is the loopback address too. Empty for
 * what is no address.
 */
export function spellingsOf(address: string): readonly string[] {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(bare) === 4) return withLoopback(bare);
  const words = wordsOf(bare);
  if (words === undefined) return [];
  if (words.every((word) => word === 0)) return [canonical(words), '0:0:0:0:0:0:0:1', '127.0.0.1'];
  const { embedded, isSame } = embeddedOf(words);
  if (embedded === undefined) return [canonical(words)];
  return isSame ? withLoopback(embedded) : [canonical(words), ...withLoopback(embedded)];
}

function withLoopback(address: string): readonly string[] {
  return address === '0.0.0.0' ? [address, '127.0.0.1'] : [address];
}

/** The eight words of an IPv6 address. */
function wordsOf(address: string): readonly number[] | undefined {
  if (isIP(address) !== 6) return undefined;
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const pure = dotted ? `${dotted[1]}${hexOf(dotted[2], dotted[3])}:${hexOf(dotted[4], dotted[5])}` : address;
  const [head = '', tail] = pure.split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const first = read(head);
  if (tail === undefined) return first;
  const last = read(tail);
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

function hexOf(high = '0', low = '0'): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}

function canonical(words: readonly number[]): string {
  return words.map((word) => word.toString(16)).join(':');
}

function embeddedOf(words: readonly number[]): { readonly embedded?: string; readonly isSame: boolean } {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  const leadingZeros = a === 0 && b === 0 && c === 0 && d === 0;
  const isMapped = leadingZeros && e === 0 && f === 0xffff;
  const isCompatible = leadingZeros && e === 0 && f === 0 && (g !== 0 || h > 1);
  const isTranslated = leadingZeros && e === 0xffff && f === 0;
  const isNat64 = a === 0x64 && b === 0xff9b && (c === 1 || (c === 0 && d === 0 && e === 0 && f === 0));
  const isIsatap = (e & 0xfdff) === 0 && f === 0x5efe;
  if (isMapped) return { embedded: dottedOf(g, h), isSame: true };
  if (isCompatible || isTranslated || isNat64 || isIsatap) return { embedded: dottedOf(g, h), isSame: false };
  if (a === 0x2002) return { embedded: dottedOf(b, c), isSame: false };
  if (a === 0x2001 && b === 0) return { embedded: dottedOf(g ^ 0xffff, h ^ 0xffff), isSame: false };
  return { isSame: false };
}

function dottedOf(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
