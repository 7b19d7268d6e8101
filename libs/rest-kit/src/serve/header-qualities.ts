/**
 * The names in a header such as Accept or Accept-Encoding, in lower case, each with its quality, 0 to 1 (RFC 9110,
 * section 12.4.2). Other parameters are left out, and a quality that is none counts as 0.
 */
export function headerQualities(header: string): ReadonlyMap<string, number> {
  const entries = header.split(',').map((each): [string, number] => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((part) => part.startsWith('q='))?.slice(2);
    const value = quality === undefined ? 1 : Number(quality);
    return [name, value >= 0 && value <= 1 ? value : 0];
  });
  return new Map(entries.filter(([name]) => name !== ''));
}
