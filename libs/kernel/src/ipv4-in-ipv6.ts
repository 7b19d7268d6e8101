import { isIP } from 'node:net';

/** The eight words of an IPv6 address; undefined for what is none. */
export function ipv6Words(address: string): readonly number[] | undefined {
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

/**
 * The IPv4 addresses that an IPv6 address may reach, from its eight words: IPv4-mapped (RFC 4291 section 2.5.5.2; `isSame`, it is its
 * IPv4 address and nothing else), IPv4-compatible (2.5.5.1), IPv4-translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo
 * (RFC 4380) and ISATAP (RFC 5214). Several where the length of the prefix is the network's own choice.
 */
export function ipv4Within(words: readonly number[]): {
  readonly addresses: readonly string[];
  readonly isSame: boolean;
} {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  const zeros = a === 0 && b === 0 && c === 0 && d === 0;
  if (zeros && e === 0 && f === 0xffff) return { addresses: [dotted(g, h)], isSame: true };
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
  return { addresses: [...new Set(addresses)], isSame: false };
}

/**
 * 64:ff9b::/96 holds the address in its last 32 bits. In 64:ff9b:1::/48 (RFC 8215) each network chooses a prefix of 48, 56, 64 or 96
 * bits, and RFC 6052 section 2.2 puts the address right behind it, around the bits 64 to 71: all four are read. What begins with 0 is
 * no address that a translator reaches, but the zeros of a longer prefix.
 */
function nat64([, , c = 0, d = 0, e = 0, f = 0, g = 0, h = 0]: readonly number[]): readonly string[] {
  const last = dotted(g, h);
  if (c === 0 && d === 0 && e === 0 && f === 0) return [last];
  if (c !== 1) return [];
  const after48 = dotted(d, ((e & 0xff) << 8) | (f >> 8));
  const after56 = dotted(((d & 0xff) << 8) | (e & 0xff), f);
  const after64 = dotted(((e & 0xff) << 8) | (f >> 8), ((f & 0xff) << 8) | (g >> 8));
  const found = [last, after48, after56, after64].filter((each) => !each.startsWith('0.'));
  return found.length === 0 ? [last] : found;
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
