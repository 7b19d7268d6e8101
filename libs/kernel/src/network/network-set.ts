import { isIP } from 'node:net';
import type ipaddr from 'ipaddr.js';
import { equivalentAddresses, parseAddress } from './address.ts';

/** Whether an address lies in one of the networks of the set; false for a text that is no address. */
export type NetworkSet = (address: string) => boolean;

/** Whether a text is an address or a network: `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/**
 * Creates the test for addresses and networks (`isNetwork`). An IPv4 address and the IPv6 address that it is mapped to
 * are one address, in the networks too. Throws a RangeError for a text that is no network.
 */
export function createNetworkSet(networks: readonly string[]): NetworkSet {
  const known = networks.map(knownNetwork);
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && known.some(({ first, bits }) => address.match(first, bits));
  };
}

/** The value of the network that names an address most exactly; undefined where no network has it. */
type NetworkTable<Value> = (address: string) => Value | undefined;

/**
 * Creates a table like one of routes: the network with the longest prefix that has the address decides, and of equal
 * ones the last. Addresses and networks are read as in `createNetworkSet`. Throws a RangeError for a text that is no
 * network.
 */
export function createNetworkTable<Value>(
  rows: readonly { readonly network: string; readonly value: Value }[],
): NetworkTable<Value> {
  const longestFirst = rows
    .map(({ network, value }) => ({ ...knownNetwork(network), value }))
    .reverse()
    .sort((a, b) => b.bits - a.bits);
  return (text) => {
    const address = parseAddress(text);
    return longestFirst.find(({ first, bits }) => address?.match(first, bits))?.value;
  };
}

/** A network among all IPv6 addresses; an IPv4 network lies in the mapped ones. */
interface Network {
  readonly first: ipaddr.IPv6;
  readonly bits: number;
}

function knownNetwork(text: string): Network {
  const network = parseNetwork(text);
  if (network === undefined) throw new RangeError(`${text} is no address or network`);
  return network;
}

function parseNetwork(text: string): Network | undefined {
  const [address = '', length, more] = text.split('/');
  const first = isIP(address) === 0 ? undefined : parseAddress(address);
  if (first === undefined || more !== undefined) return undefined;
  const longest = isIP(address) === 4 ? 32 : 128;
  if (length === undefined) return { first, bits: 128 };
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits <= longest ? { first, bits: bits + 128 - longest } : undefined;
}

/**
 * Addresses that mean something else elsewhere: loopback, private, link-local, shared (RFC 1918, 3927, 4193, 4291,
 * 6598, 1122).
 */
const isPrivate = createNetworkSet([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
]);

/**
 * Whether a host is `localhost` or an address that means another machine at every Location, also as an IPv4 address
 * inside an IPv6 one.
 */
export function isPrivateHost(host: string): boolean {
  const addresses = equivalentAddresses(host);
  if (addresses.length === 0) return host === 'localhost' || host.endsWith('.localhost');
  return addresses.some(isPrivate);
}
