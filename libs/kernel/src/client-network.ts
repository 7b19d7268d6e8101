/**
 * The network that one client has to itself, as a name to count by: an IPv4 address (also when it is mapped into IPv6, RFC 4291, section
 * 2.5.5.2), or the first 64 bits of an IPv6 address (RFC 4291, section 2.5.1), of which a client can take any number.
 */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, '').toLowerCase()).join(':');
}
