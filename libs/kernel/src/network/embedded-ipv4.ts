/**
 * The IPv4 addresses that an IPv6 address may reach, from its eight words: IPv4-compatible (RFC 4291 section 2.5.5.1),
 * IPv4-translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380) and ISATAP (RFC 5214). Several where
 * the length of the prefix is the network's own choice.
 */
export function ipv4Within(words: readonly number[]): readonly string[] {
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
 * 64:ff9b::/96 holds the address in its last 32 bits. In 64:ff9b:1::/48 (RFC 8215) each network chooses a prefix of 48,
 * 56, 64 or 96 bits, and RFC 6052 section 2.2 puts the address right behind it, around the bits 64 to 71: all four are
 * read. What begins with 0 is no address that a translator reaches, but the zeros of a longer prefix.
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
