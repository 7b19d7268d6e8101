import { isIP } from 'node:net';
import type { Json } from '@vantage/domain';
import { type HopAnswer, icmpSockets, type PingAnswer, sendHop } from '@vantage/icmp';
import { type Clock, systemClock } from '@vantage/kernel';

/** The target and the kind of packets. TCP and UDP to the failed port meet the same firewalls as the check. */
export interface TraceRequest {
  /** An address, not a name; the policy has allowed it. */
  readonly address: string;
  /** Port of the target; unused for `icmp`. */
  readonly port: number;
  readonly kind: 'icmp' | 'udp' | 'tcp';
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** A router on the way, or the target. */
export interface TraceHop {
  /** Distance in routers, from 1. */
  readonly ttl: number;
  /** undefined: no answer. */
  readonly address: string | undefined;
  readonly rttMs: number | undefined;
  /** The error that it reported, unless it is an ordinary router's `time to live exceeded`. */
  readonly text: string | undefined;
}

/** A path, as far as its routers answered. */
export type Trace =
  | { readonly ok: true; readonly hops: readonly TraceHop[]; readonly reached: boolean }
  /** `needs CAP_NET_RAW, …` */
  | { readonly ok: false; readonly reason: string };

const maxHops = 30;
/** Hops that are probed at the same time, so that a silent router delays only its group. */
const groupSize = 8;
const tries = 2;
const maxTryMs = 1500;
/** After this number of consecutive silent hops, the rest is silent too (a firewall drops the packets). */
const maxSilent = 7;

type HopResult =
  | { readonly kind: 'hop'; readonly hop: TraceHop; readonly last: boolean }
  | { readonly kind: 'silent' }
  | { readonly kind: 'impossible'; readonly reason: string };

/**
 * Finds the routers on the way to an address, as diagnostics of a failure. ICMP needs the permission to ping; UDP and
 * TCP need none on Linux. Takes at most `deadlineMs`, and returns the hops that are known by then. Never rejects.
 */
export async function traceroute(request: TraceRequest): Promise<Trace> {
  const { clock = systemClock } = request;
  const family = isIP(request.address.replace(/%.*$/, '')) === 6 ? 6 : 4;
  const endMs = clock.monoMs() + request.deadlineMs;
  const lease = request.kind === 'icmp' ? icmpSockets.use(family) : undefined;
  if (lease && 'error' in lease) return { ok: false, reason: lease.error };
  using icmp = lease;

  const once = async (ttl: number): Promise<HopResult> => {
    const timeoutMs = Math.min(maxTryMs, endMs - clock.monoMs());
    if (timeoutMs <= 0 || request.signal.aborted) return { kind: 'silent' };
    const { address, port, kind, signal } = request;
    if (icmp) return pingResult(ttl, await icmp.socket.ping({ address, size: 32, ttl, timeoutMs, signal }));
    const protocol = kind === 'tcp' ? 'tcp' : 'udp';
    return sentResult(
      ttl,
      await sendHop({ kind: protocol, family, address, port, ttl, timeoutMs, signal, clock }),
    );
  };
  const probe = async (ttl: number): Promise<HopResult> => {
    let result: HopResult = { kind: 'silent' };
    for (let attempt = 0; attempt < tries && result.kind === 'silent'; attempt += 1) result = await once(ttl);
    return result;
  };

  const hops: TraceHop[] = [];
  while (hops.length < maxHops && clock.monoMs() < endMs && !request.signal.aborted) {
    const first = hops.length + 1;
    const group = Array.from({ length: Math.min(groupSize, maxHops - hops.length) }, (_, at) => first + at);
    for (const [at, result] of (await Promise.all(group.map(probe))).entries()) {
      if (result.kind === 'impossible' && hops.length === 0) return { ok: false, reason: result.reason };
      const ttl = first + at;
      if (result.kind === 'hop') hops.push(result.hop);
      else hops.push({ ttl, address: undefined, rttMs: undefined, text: undefined });
      if (result.kind === 'hop' && result.last)
        return { ok: true, hops, reached: endsThere(result.hop, request) };
    }
    if (hops.slice(-maxSilent).filter((hop) => hop.address === undefined).length === maxSilent) break;
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

function endsThere(hop: TraceHop, { address }: TraceRequest): boolean {
  return hop.address === address.replace(/%.*$/, '');
}

function withoutSilentEnd(hops: readonly TraceHop[]): readonly TraceHop[] {
  return hops.slice(0, hops.findLastIndex((hop) => hop.address !== undefined) + 1);
}

function pingResult(ttl: number, answer: PingAnswer): HopResult {
  switch (answer.kind) {
    case 'reply':
      return {
        kind: 'hop',
        last: true,
        hop: { ttl, address: answer.from, rttMs: answer.rttMs, text: 'answered' },
      };
    case 'error':
      return errorResult(ttl, answer);
    case 'unsent':
      return { kind: 'impossible', reason: `this machine does not send there (${answer.code})` };
    case 'timeout':
    case 'aborted':
      return { kind: 'silent' };
  }
}

function sentResult(ttl: number, answer: HopAnswer): HopResult {
  switch (answer.kind) {
    case 'reached':
      return {
        kind: 'hop',
        last: true,
        hop: { ttl, address: answer.from, rttMs: answer.rttMs, text: answer.text },
      };
    case 'error':
      return errorResult(ttl, answer);
    case 'unsent':
      return { kind: 'impossible', reason: `this machine does not send there (${answer.code})` };
    case 'unavailable':
      return { kind: 'impossible', reason: answer.error };
    case 'timeout':
    case 'aborted':
      return { kind: 'silent' };
  }
}

function errorResult(ttl: number, error: Omit<Extract<PingAnswer, { kind: 'error' }>, 'mtu'>): HopResult {
  const passing = error.reason === 'time-exceeded';
  const text = passing ? undefined : error.text;
  return { kind: 'hop', last: !passing, hop: { ttl, address: error.from, rttMs: error.rttMs, text } };
}
