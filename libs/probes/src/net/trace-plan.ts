import { isIP } from 'node:net';
import { type Method, resultCode } from '@vantage/domain';
import type { Measurement } from '../contract/probe.ts';
import type { TraceRequest } from './traceroute.ts';

/** What a traceroute needs to know of a failure. */
export type TracePlan = Pick<TraceRequest, 'address' | 'port' | 'kind'>;

/**
 * Whether a traceroute tells something about a failed check, and by what packets: nothing came back (code 2), and it is known whom
 * was asked. By the very packets that got no answer, so that they meet the same firewalls. Pure.
 */
export function tracePlan(
  method: Method,
  { code, extended }: Pick<Measurement, 'code' | 'extended'>,
): TracePlan | undefined {
  if (code !== resultCode.timeout) return undefined;
  const detail = extended['Address'];
  // Several addresses tried at once are listed with commas; the first one stands for them.
  const first = typeof detail === 'string' ? detail.split(', ')[0] : undefined;
  const place = first === undefined ? undefined : readPeer(first);
  if (!place) return undefined;
  switch (method) {
    case 'Script':
      return undefined; // which of its steps failed is the script's own affair
    case 'PING':
      return { ...place, kind: 'icmp' };
    case 'DNS':
      return { ...place, kind: 'udp' };
    default: // all others speak TCP
      return { ...place, kind: 'tcp' };
  }
}

/** Reads `10.0.0.1:25`, `[2001:db8::1]:25` or a bare address (port 0). */
function readPeer(peer: string): { address: string; port: number } | undefined {
  if (isIP(peer)) return { address: peer, port: 0 };
  const found = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(peer);
  const address = found?.[1] ?? found?.[2] ?? '';
  return isIP(address) ? { address, port: Number(found?.[3]) } : undefined;
}
