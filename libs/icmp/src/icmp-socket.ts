import { isIPv4, SocketAddress } from 'node:net';
import { type Clock, declareState } from '@vantage/kernel';
import { type Clocks, roundTripMs } from './addon.ts';
import {
  encodeEcho,
  type Family,
  type IcmpErrorReason,
  type Incoming,
  icmpErrorReason,
  icmpErrorText,
  tokenBytes,
} from './packet.ts';

/** A packet that arrived, with its times by two clocks. */
export interface Arrival {
  readonly incoming: Incoming;
  readonly from: string;
  readonly ttl: number | undefined;
  /** Length as received, IP header included where the socket delivers it. */
  readonly length: number;
  readonly read: Clocks;
  /** See `roundTripMs`. */
  readonly queuedNs: number;
}

/**
 * The answer of a send: the clocks just before it (asked for when the answer is there, since some transports send
 * later), or why nothing was sent (a system error's name, `ENETUNREACH`).
 */
type Sent = { readonly ok: true; sentAt(): Clocks } | { readonly ok: false; readonly code: string };

/** An ICMP socket without memory: it sends and receives, and does not match answers to requests. */
interface Transport {
  /** Sends a packet; TTL 0 is the system's own. `onFailure` reports a send that fails after it was accepted. */
  send(packet: Buffer, address: string, ttl: number, onFailure: (code: string) => void): Sent;
  /** Hands over at once all that lies in the socket's queue; a transport that cannot gives false. */
  drain(): boolean;
  /** Whether the socket keeps the process alive. */
  holdOpen(yes: boolean): void;
  close(): void;
}

/** Opens a transport; `onArrival` is called for each packet that may be an answer. */
export type OpenTransport = (
  onArrival: (arrival: Arrival) => void,
) => Transport | { readonly error: string; readonly code: string };

/** One echo request. */
export interface PingRequest {
  /** IP address of the socket's family; an IPv6 link-local one with its zone (`fe80::1%eth0`). */
  readonly address: string;
  /** Bytes of payload, 0 to 65507. Below 8 an answer is known by its numbers alone. */
  readonly size: number;
  /** Time to live or hop limit, 1 to 255; absent: the system's own. */
  readonly ttl?: number;
  readonly timeoutMs: number;
  /** Gives up waiting; the answer is then `aborted`. */
  readonly signal?: AbortSignal;
}

/** The outcome of an echo request. */
export type PingAnswer =
  | {
      readonly kind: 'reply';
      readonly rttMs: number;
      readonly from: string;
      /** TTL or hop limit the reply arrived with. */
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
      /** The sender of the error; '' for this machine itself. */
      readonly from: string;
    }
  /** This machine did not send it; `code` is a system error's name: `ENETUNREACH`, `EPERM`, `ENOBUFS`. */
  | { readonly kind: 'unsent'; readonly code: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' };

/** A socket for many pings at once. Close it after use; while pings are in flight it keeps the process alive. */
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

interface Pending {
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

/** Puts request and answer together over a transport; `random` gives the socket its id and token. */
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
  const pending = tracked(new Map<number, Pending>());
  let count = Math.floor(random() * sequences);
  let closed = false;
  const transport = deps.open(onArrival);
  if ('error' in transport) return transport;
  transport.holdOpen(false);

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
        waiting.settle({ kind: 'error', reason, text, rttMs, from });
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
    ping: ({ address, size, ttl = 0, timeoutMs, signal }) =>
      new Promise((resolve) => {
        if (closed || signal?.aborted) return resolve({ kind: 'aborted' });
        const canonical = canonicalAddress(address, family);
        if (canonical === undefined) return resolve({ kind: 'unsent', code: 'EINVAL' });
        const sequence = freeSequence();
        if (sequence === undefined) return resolve({ kind: 'unsent', code: 'EBUSY' });
        const token = newToken();
        const packet = encodeEcho(family, { id, sequence, token }, size);
        const settle = (answer: PingAnswer) => {
          if (!pending.delete(sequence)) return;
          if (pending.size === 0 && !closed) transport.holdOpen(false);
          timer[Symbol.dispose]();
          signal?.removeEventListener('abort', onAbort);
          resolve(answer);
        };
        const onAbort = () => settle({ kind: 'aborted' });
        const onTimeout = () => {
          // Timers run before sockets: the answer may lie in the queue of a process that was held up.
          if (transport.drain()) return settle({ kind: 'timeout' });
          setImmediate(() => settle({ kind: 'timeout' }));
        };
        const sent = transport.send(packet, address, ttl, (code) => settle({ kind: 'unsent', code }));
        if (!sent.ok) return resolve({ kind: 'unsent', code: sent.code });
        const timer = clock.timer(timeoutMs, onTimeout);
        signal?.addEventListener('abort', onAbort, { once: true });
        if (pending.size === 0) transport.holdOpen(true);
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

/** An address as the kernel writes it, without zone; undefined when it is none of this family. */
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
