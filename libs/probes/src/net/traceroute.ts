import { isIP } from 'node:net';
import type { Json } from '@vantage/domain';
import { type HopAnswer, icmpSockets, type PingAnswer, sendHop } from '@vantage/icmp';
import { type Clock, systemClock } from '@vantage/kernel';

/**
 * Where to trace to, and by what packets: TCP and UDP to the very port that failed see the same firewalls as the check
 * did.
 */
export interface TraceRequest {
  /** An address, not a name; the policy has allowed it already. */
  readonly address: string;
  /** Port of the target; unused for `icmp`. */
  readonly port: number;
  readonly kind: 'icmp' | 'udp' | 'tcp';
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** One router on the way, or the target. */
export interface Hop {
  /** Distance in routers, from 1. */
  readonly ttl: number;
  /** Who answered; undefined when nobody did. */
  readonly address: string | undefined;
  readonly rttMs: number | undefined;
  /** The error that it reported, unless it is an ordinary router's `time to live exceeded`. */
  readonly text: string | undefined;
}

/** A way, as far as it could be seen. */
export type Trace =
  | { readonly ok: true; readonly hops: readonly Hop[]; readonly reached: boolean }
  /** `needs CAP_NET_RAW, …` */
  | { readonly ok: false; readonly reason: string };

const farthest = 30;
/**
 * Hops asked at the same time: a router that answers is seen within one round trip, a silent one holds up only its own
 * group.
 */
const groupSize = 8;
const tries = 2;
const longestTryMs = 1500;
/** After so many silent hops in a row the rest is silent too (a firewall that drops). */
const silentEnough = 7;

type Seen =
  | { readonly kind: 'hop'; readonly hop: Hop; readonly last: boolean }
  | { readonly kind: 'silent' }
  | { readonly kind: 'impossible'; readonly reason: string };

/**
 * Finds the routers on the way to an address: diagnostics after a failed verdict. ICMP wants the right to ping, UDP and
 * TCP need none on Linux. Takes at most `deadlineMs`; what is known by then is the answer. Never rejects.
 */
export async function traceroute(request: TraceRequest): Promise<Trace> {
  const { clock = systemClock } = request;
  const family = isIP(request.address.replace(/%.*$/, '')) === 6 ? 6 : 4;
  const endMs = clock.monoMs() + request.deadlineMs;
  const lease = request.kind === 'icmp' ? icmpSockets.use(family) : undefined;
  if (lease && 'error' in lease) return { ok: false, reason: lease.error };
  using held = lease;

  const once = async (ttl: number): Promise<Seen> => {
    const timeoutMs = Math.min(longestTryMs, endMs - clock.monoMs());
    if (timeoutMs <= 0 || request.signal.aborted) return { kind: 'silent' };
    const { address, port, kind, signal } = request;
    if (held) return pingSeen(ttl, await held.socket.ping({ address, size: 32, ttl, timeoutMs, signal }));
    const way = kind === 'tcp' ? 'tcp' : 'udp';
    return hopSeen(ttl, await sendHop({ kind: way, family, address, port, ttl, timeoutMs, signal, clock }));
  };
  const look = async (ttl: number): Promise<Seen> => {
    let seen: Seen = { kind: 'silent' };
    for (let attempt = 0; attempt < tries && seen.kind === 'silent'; attempt += 1) seen = await once(ttl);
    return seen;
  };

  const hops: Hop[] = [];
  while (hops.length < farthest && clock.monoMs() < endMs && !request.signal.aborted) {
    const first = hops.length + 1;
    const group = Array.from({ length: Math.min(groupSize, farthest - hops.length) }, (_, at) => first + at);
    for (const [at, seen] of (await Promise.all(group.map(look))).entries()) {
      if (seen.kind === 'impossible' && hops.length === 0) return { ok: false, reason: seen.reason };
      const ttl = first + at;
      if (seen.kind === 'hop') hops.push(seen.hop);
      else hops.push({ ttl, address: undefined, rttMs: undefined, text: undefined });
      if (seen.kind === 'hop' && seen.last) return { ok: true, hops, reached: endsThere(seen.hop, request) };
    }
    if (hops.slice(-silentEnough).filter((hop) => hop.address === undefined).length === silentEnough) break;
  }
  return { ok: true, hops: withoutSilentEnd(hops), reached: false };
}

/** A trace as diagnostics in the extended data (`Traceroute`). */
export function traceDiagnostics(trace: Trace): Json {
  if (!trace.ok) return { NotPossible: trace.reason };
  const hops = trace.hops.map(({ ttl, address, rttMs, text }) => ({
    TTL: ttl,
    Address: address ?? null,
    RTTMs: rttMs === undefined ? null : Math.round(rttMs * 1000) / 1000,
    ...(text === undefined ? {} : { Text: text }),
  }));
  return { Reached: trace.reached, Hops: hops };
}

function endsThere(hop: Hop, { address }: TraceRequest): boolean {
  return hop.address === address.replace(/%.*$/, '');
}

function withoutSilentEnd(hops: readonly Hop[]): readonly Hop[] {
  return hops.slice(0, hops.findLastIndex((hop) => hop.address !== undefined) + 1);
}

function pingSeen(ttl: number, answer: PingAnswer): Seen {
  switch (answer.kind) {
    case 'reply':
      return {
        kind: 'hop',
        last: true,
        hop: { ttl, address: answer.from, rttMs: answer.rttMs, text: 'answered' },
      };
    case 'error':
      return errorSeen(ttl, answer);
    case 'unsent':
      return { kind: 'impossible', reason: `this machine does not send there (${answer.code})` };
    case 'timeout':
    case 'aborted':
      return { kind: 'silent' };
  }
}

function hopSeen(ttl: number, answer: HopAnswer): Seen {
  switch (answer.kind) {
    case 'reached':
      return {
        kind: 'hop',
        last: true,
        hop: { ttl, address: answer.from, rttMs: answer.rttMs, text: answer.text },
      };
    case 'error':
      return errorSeen(ttl, answer);
    case 'unsent':
      return { kind: 'impossible', reason: `this machine does not send there (${answer.code})` };
    case 'unavailable':
      return { kind: 'impossible', reason: answer.error };
    case 'timeout':
    case 'aborted':
      return { kind: 'silent' };
  }
}

function errorSeen(ttl: number, error: Extract<PingAnswer, { kind: 'error' }>): Seen {
  const passing = error.reason === 'time-exceeded';
  const text = passing ? undefined : error.text;
  return { kind: 'hop', last: !passing, hop: { ttl, address: error.from, rttMs: error.rttMs, text } };
}
