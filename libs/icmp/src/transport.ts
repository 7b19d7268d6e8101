import type { Clocks } from './addon.ts';
import type { Incoming } from './packet.ts';

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
