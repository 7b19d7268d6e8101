import { isIP } from 'node:net';
import type ipaddr from 'ipaddr.js';
import { parseAddress } from './address.ts';

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

/** The value of the most specific network that contains an address. */
type NetworkTable<Value> = (address: string) => Value | undefined;

/**
 * Creates a table like a routing table: the longest matching prefix decides, and of equal ones the last. Addresses and
 * networks are read as in `createNetworkSet`. Throws a RangeError for a text that is no network.
 */
export function createNetworkTable<Value>(
  rows: readonly { readonly network: string; readonly value: Value }[],
): NetworkTable<Value> {
  const byPrefixLength = rows
    .map(({ network, value }) => ({ ...knownNetwork(network), value }))
    .reverse()
    .sort((a, b) => b.bits - a.bits);
  return (text) => {
    const address = parseAddress(text);
    return byPrefixLength.find(({ first, bits }) => address?.match(first, bits))?.value;
  };
}

/** A network of IPv6 addresses; an IPv4 network is one of mapped addresses. */
interface ParsedNetwork {
  readonly first: ipaddr.IPv6;
  readonly bits: number;
}

function knownNetwork(text: string): ParsedNetwork {
  const network = parseNetwork(text);
  if (network === undefined) throw new RangeError(`${text} is no address or network`);
  return network;
}

function parseNetwork(text: string): ParsedNetwork | undefined {
  const [address = '', length, more] = text.split('/');
  const first = isIP(address) === 0 ? undefined : parseAddress(address);
  if (first === undefined || more !== undefined) return undefined;
  const maxBits = isIP(address) === 4 ? 32 : 128;
  if (length === undefined) return { first, bits: 128 };
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits <= maxBits ? { first, bits: bits + 128 - maxBits } : undefined;
}
