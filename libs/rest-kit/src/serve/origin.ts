import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createNetworkSet, Fault, isNetwork, normalAddress } from '@vantage/kernel';

/** The origin of a request. */
export interface Origin {
  /** The caller's address: the nearest one that is no trusted proxy. IPv4-mapped addresses are written as IPv4. */
  readonly address: string;
  /** It came by HTTPS, to us or to a trusted proxy that says so. */
  readonly secure: boolean;
  /** A trusted proxy stands between. */
  readonly proxied: boolean;
  /** Whom a trusted proxy signed in, by the header that the operator named for it. */
  readonly user?: string | undefined;
}

/** Creates the test whether a peer's address is one of `trustedProxies`: addresses or networks (`10.0.0.0/8`). */
export function createProxyTest(trustedProxies: readonly string[]): (peer: string) => boolean {
  const networks = trustedProxies.map((text) => text.trim());
  const wrong = networks.find((text) => !isNetwork(text));
  if (wrong !== undefined)
    throw new Fault('stop', 'bad-network', `trusted proxies: ${wrong} is no address or network (10.0.0.0/8)`);
  const isTrusted = createNetworkSet(networks);
  return (peer) => isTrusted(plainAddress(peer));
}

/** Creates the reader of origins. Forwarded headers from elsewhere than a trusted proxy count for nothing. */
export function createOriginReader(
  isTrusted: (peer: string) => boolean,
  signInHeader?: string,
): (request: Pick<IncomingMessage, 'socket' | 'headers'>) => Origin {
  // The peer of a connection never changes, and several callers need the origin of each request.
  const peers = new WeakMap<object, { readonly peer: string; readonly isProxy: boolean }>();
  const peerOf = (socket: IncomingMessage['socket']) => {
    const known = peers.get(socket);
    if (known !== undefined) return known;
    const peer = plainAddress(socket.remoteAddress ?? '');
    const found = { peer, isProxy: isTrusted(peer) };
    if (peer !== '') peers.set(socket, found);
    return found;
  };
  return ({ socket, headers }) => {
    const { peer, isProxy } = peerOf(socket);
    if (!isProxy) return { address: peer, secure: socket instanceof TLSSocket, proxied: false };
    const hops = entries(headers['x-forwarded-for']).map(plainAddress).reverse();
    const caller = hops.find((hop) => !isTrusted(hop)) ?? hops.at(-1) ?? peer;
    const proto = entries(headers['x-forwarded-proto']).at(-1)?.toLowerCase();
    return {
      address: isIP(caller) === 0 ? peer : caller,
      secure: proto === undefined ? socket instanceof TLSSocket : proto === 'https',
      proxied: true,
      user: signInHeader === undefined ? undefined : entries(headers[signInHeader]).join(',') || undefined,
    };
  };
}

function entries(header: string | string[] | undefined): string[] {
  return (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Without brackets, port, zone and IPv4-mapping. */
function plainAddress(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1];
  return normalAddress(bracketed ?? withPort ?? text);
}
