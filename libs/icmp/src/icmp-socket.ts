import { isIPv4, SocketAddress } from 'node:net';
import { type Clock, declareState } from '@vantage/kernel';
import type { Clocks } from './addon-buffer.ts';
import { type IcmpErrorReason, icmpErrorReason, icmpErrorText } from './icmp-error.ts';
import { roundTripMs } from './icmp-round-trip.ts';
import { encodeEcho, type Family, type IncomingPacket, tokenBytes } from './packet.ts';

/** A packet that arrived, with its times by two clocks. */
export interface Arrival {
  readonly incoming: IncomingPacket;
  readonly from: string;
  readonly ttl: number | undefined;
  /** The received length, including the IP header if the socket delivers it. */
  readonly length: number;
  readonly read: Clocks;
  /** See `roundTripMs`. */
  readonly queuedNs: number;
}

/**
 * The result of a send: the clocks just before it, or the name of the system error (`ENETUNREACH`). Read the clocks
 * when the answer has arrived, because some transports send later.
 */
type SendOutcome = { readonly ok: true; sentAt(): Clocks } | { readonly ok: false; readonly code: string };

/** How a packet is sent, where that is not left to the system. */
export interface SendingOptions {
  /** Time to live or hop limit, 1 to 255. */
  readonly ttl?: number;
  /** Code point for quality of service, 0 to 63. */
  readonly dscp?: number;
  /** An address of this host, an IPv6 link-local one with its zone. */
  readonly source?: string;
  /** Neither this host nor a router may fragment it. A packet over the MTU of the interface is unsent (`EMSGSIZE`). */
  readonly dontFragment?: boolean;
}

/** Whether a packet has wishes beyond its TTL, which the package `raw-socket` cannot fulfil. */
export function hasMarks({ dscp, source, dontFragment }: SendingOptions): boolean {
  return dscp !== undefined || source !== undefined || dontFragment === true;
}

/** A stateless ICMP socket. It sends and receives, and does not match answers to requests. */
interface Transport {
  /** Sends a packet. `onFailure` reports a send that fails after it was accepted. */
  send(
    packet: Buffer,
    address: string,
    options: SendingOptions,
    onFailure: (code: string) => void,
  ): SendOutcome;
  /** Delivers everything in the socket's queue at once. False: this transport cannot. */
  drain(): boolean;
  /** Whether the socket keeps the process alive. */
  keepAlive(yes: boolean): void;
  close(): void;
}

/** Opens a transport. `onArrival` is called for each packet that may be an answer. */
export type OpenTransport = (
  onArrival: (arrival: Arrival) => void,
) => Transport | { readonly error: string; readonly code: string };

export interface PingRequest extends SendingOptions {
  /** IP address of the socket's family; an IPv6 link-local address with its zone (`fe80::1%eth0`). */
  readonly address: string;
  /** Bytes of payload, 0 to 65507. Below 8 an answer is matched by its numbers alone. */
  readonly size: number;
  readonly timeoutMs: number;
  /** Stops waiting; the answer is then `aborted`. */
  readonly signal?: AbortSignal;
}

export type PingAnswer =
  | {
      readonly kind: 'reply';
      readonly rttMs: number;
      readonly from: string;
      /** TTL or hop limit of the reply. */
      readonly ttl: number | undefined;
      /** Bytes of payload that came back. */
      readonly bytes: number;
    }
  | {
      readonly kind: 'error';
      readonly reason: IcmpErrorReason;
      /** `host unreachable` */
      readonly text: string;
      readonly rttMs: number;
      /** The sender of the error; '' is this host itself. */
      readonly from: string;
      /** The MTU of the link for which the packet is too big; 0: not named. */
      readonly mtu: number;
    }
  /**
   * This host did not send it. `code` is the name of a system error: `ENETUNREACH`, `EPERM`, `ENOBUFS`; `ENOTSUP` for
   * options that this system lacks.
   */
  | { readonly kind: 'unsent'; readonly code: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' };

/** A socket for many concurrent pings. Close it after use. While pings are in flight it keeps the process alive. */
export interface IcmpSocket {
  readonly family: Family;
  /** Raw: needs CAP_NET_RAW. Datagram: needs a group in net.ipv4.ping_group_range. */
  readonly kind: 'raw' | 'datagram';
  readonly inFlight: number;
  /** Sends one echo request and waits for its answer. Never rejects. */
  ping(request: PingRequest): Promise<PingAnswer>;
  /** Ends requests in flight as `aborted`. */
  close(): void;
}

interface PendingPing {
  readonly address: string;
  readonly token: Buffer;
  readonly size: number;
  sentAt(): Clocks;
  settle(answer: PingAnswer): void;
}

const sequences = 0x1_0000;

const tracked = declareState({
  name: 'pings_in_flight',
  entries: sequences,
  entryBytes: 400,
  filledBy: 'devices',
  atBound: 'the check ends with ResultCode 9',
});

/** Matches requests and answers over a transport. `random` chooses the socket's id and token. */
export function createIcmpSocket(deps: {
  readonly open: OpenTransport;
  readonly family: Family;
  readonly kind: 'raw' | 'datagram';
  readonly clock: Clock;
  readonly random: () => number;
}): IcmpSocket | { readonly error: string; readonly code: string } {
  const { family, clock, random } = deps;
  const id = Math.floor(random() * sequences);
  const secret = Math.floor(random() * 2 ** 32);
  const pending = tracked(new Map<number, PendingPing>());
  let count = Math.floor(random() * sequences);
  let closed = false;
  const transport = deps.open(onArrival);
  if ('error' in transport) return transport;
  transport.keepAlive(false);

  function onArrival({ incoming, from, ttl, length, read, queuedNs }: Arrival): void {
    const waiting = pending.get(incoming.sequence);
    // The kernel gives each datagram socket its own id and delivers only packets with this id.
    if (!waiting || (deps.kind === 'raw' && incoming.id !== id)) return;
    const known = Math.min(waiting.size, incoming.token.length, tokenBytes);
    if (!incoming.token.subarray(0, known).equals(waiting.token.subarray(0, known))) return;
    const rttMs = roundTripMs({ sent: waiting.sentAt(), read, queuedNs });
    switch (incoming.kind) {
      case 'reply':
        if (from !== waiting.address) return;
        waiting.settle({ kind: 'reply', rttMs, from, ttl, bytes: length - incoming.headerBytes });
        break;
      case 'error': {
        const reason = icmpErrorReason(family, incoming.type, incoming.code);
        const text = icmpErrorText(family, incoming.type, incoming.code);
        waiting.settle({ kind: 'error', reason, text, rttMs, from, mtu: incoming.mtu });
        break;
      }
    }
  }

  function freeSequence(): number | undefined {
    if (pending.size >= sequences) return undefined;
    do count = (count + 1) % 2 ** 32;
    while (pending.has(count % sequences));
    return count % sequences;
  }

  function newToken(): Buffer {
    const token = Buffer.alloc(tokenBytes);
    token.writeUInt32BE(secret, 0);
    token.writeUInt32BE(count, 4);
    return token;
  }

  return {
    family,
    kind: deps.kind,
    get inFlight() {
      return pending.size;
    },
    ping: (request) =>
      new Promise((resolve) => {
        const { address, size, timeoutMs, signal } = request;
        if (closed || signal?.aborted) return resolve({ kind: 'aborted' });
        const canonical = canonicalAddress(address, family);
        if (canonical === undefined) return resolve({ kind: 'unsent', code: 'EINVAL' });
        const sequence = freeSequence();
        if (sequence === undefined) return resolve({ kind: 'unsent', code: 'EBUSY' });
        const token = newToken();
        const packet = encodeEcho(family, { id, sequence, token }, size);
        const settle = (answer: PingAnswer) => {
          if (!pending.delete(sequence)) return;
          if (pending.size === 0 && !closed) transport.keepAlive(false);
          timer[Symbol.dispose]();
          signal?.removeEventListener('abort', onAbort);
          resolve(answer);
        };
        const onAbort = () => settle({ kind: 'aborted' });
        const onTimeout = () => {
          // Timers run before sockets: if the process was delayed, the answer may be in the queue.
          if (transport.drain()) return settle({ kind: 'timeout' });
          setImmediate(() => settle({ kind: 'timeout' }));
        };
        const sent = transport.send(packet, address, request, (code) => settle({ kind: 'unsent', code }));
        if (!sent.ok) return resolve({ kind: 'unsent', code: sent.code });
        const timer = clock.timer(timeoutMs, onTimeout);
        signal?.addEventListener('abort', onAbort, { once: true });
        if (pending.size === 0) transport.keepAlive(true);
        pending.set(sequence, { address: canonical, token, size, sentAt: () => sent.sentAt(), settle });
      }),
    close: () => {
      if (closed) return;
      closed = true;
      for (const waiting of pending.values()) waiting.settle({ kind: 'aborted' });
      transport.close();
    },
  };
}

/** The address as the kernel writes it, without zone; undefined if it does not belong to this family. */
function canonicalAddress(address: string, family: Family): string | undefined {
  // An IPv4 address has one spelling only.
  if (family === 4) return isIPv4(address) ? address : undefined;
  try {
    const bare = address.replace(/%.*$/, '');
    return new SocketAddress({ address: bare, family: 'ipv6' }).address;
  } catch {
    return undefined;
  }
}
