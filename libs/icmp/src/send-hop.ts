import { getSystemErrorName } from 'node:util';
import { type Clock, messageOf, systemClock } from '@vantage/kernel';
import { type Addon, addonKind, loadAddon } from './addon.ts';
import { type Clocks, readClocks, readSlot } from './addon-buffer.ts';
import { type IcmpErrorReason, icmpErrorReason, icmpErrorText } from './icmp-error.ts';
import { roundTripMs } from './icmp-round-trip.ts';
import type { Family } from './packet.ts';

/** One packet of a traceroute: a UDP datagram or the SYN of a TCP connection, with a small TTL. */
export interface HopRequest {
  readonly kind: 'udp' | 'tcp';
  readonly family: Family;
  readonly address: string;
  readonly port: number;
  readonly ttl: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

export type HopAnswer =
  /** The target answered, accepted or refused. */
  | { readonly kind: 'reached'; readonly rttMs: number; readonly from: string; readonly text: string }
  /** A router on the route, or the target, sent an ICMP error. */
  | {
      readonly kind: 'error';
      readonly reason: IcmpErrorReason;
      readonly text: string;
      readonly rttMs: number;
      readonly from: string;
    }
  | { readonly kind: 'unsent'; readonly code: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' }
  /** This system has no addon. */
  | { readonly kind: 'unavailable'; readonly error: string };

const payload = Buffer.from('vantage traceroute');

/**
 * Sends one packet with a small TTL and waits for the answer. Needs no privilege, because the kernel passes ICMP errors
 * to the socket that they concern. Linux only. Never rejects.
 */
export function sendHop(request: HopRequest): Promise<HopAnswer> {
  const addon = loadAddon();
  if ('error' in addon) return Promise.resolve({ kind: 'unavailable', error: addon.error });
  return withAddon(addon, request);
}

function withAddon(addon: Addon, request: HopRequest): Promise<HopAnswer> {
  const { kind, family, address, port, ttl, timeoutMs, signal, clock = systemClock } = request;
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve({ kind: 'aborted' });
    const onReady = () => {
      const answer = readAnswer(socket, true);
      if (answer) settle(answer);
    };
    const opened = open(addon, request, onReady);
    if ('code' in opened) return resolve({ kind: 'unsent', code: opened.code });
    const { handle, buffer } = opened;
    const settle = (answer: HopAnswer) => {
      timer[Symbol.dispose]();
      signal?.removeEventListener('abort', onAbort);
      addon.close(handle);
      resolve(answer);
    };
    const onAbort = () => settle({ kind: 'aborted' });
    const timer = clock.timer(timeoutMs, () => settle(readAnswer(socket, false) ?? { kind: 'timeout' }));
    signal?.addEventListener('abort', onAbort, { once: true });
    const errno = addon.send(handle, payload, address, port, ttl);
    const socket: HopSocket = { addon, handle, buffer, kind, family, address, sent: readClocks(buffer) };
    if (errno !== 0) settle({ kind: 'unsent', code: getSystemErrorName(-errno) });
  });
}

type OpenSocket = ReturnType<Addon['open']>;

/** A socket that sent its packet, with the clocks at that time. */
interface HopSocket extends Pick<HopRequest, 'kind' | 'family' | 'address'>, OpenSocket {
  readonly addon: Addon;
  readonly sent: Clocks;
}

function open(
  addon: Addon,
  { kind, family }: HopRequest,
  onReady: () => void,
): OpenSocket | { readonly code: string } {
  try {
    return addon.open(addonKind[kind], family === 6, onReady);
  } catch (error) {
    return { code: codeOf(error) };
  }
}

/** `isReady`: the event loop reported an event. Until then a connecting TCP socket has no error either. */
function readAnswer(socket: HopSocket, isReady: boolean): HopAnswer | undefined {
  const error = errorAnswer(socket);
  if (error || socket.kind === 'udp') return error ?? udpAnswer(socket);
  return isReady ? tcpAnswer(socket) : undefined;
}

function errorAnswer({ addon, handle, buffer, family, sent }: HopSocket): HopAnswer | undefined {
  if (addon.read(handle, true) === 0) return undefined;
  const slot = readSlot(buffer, 0);
  if (slot.from === '') return { kind: 'unsent', code: getSystemErrorName(-slot.errno) };
  const rttMs = roundTripMs({ sent, read: readClocks(buffer), queuedNs: slot.queuedNs });
  const reason = icmpErrorReason(family, slot.type, slot.code);
  const text = icmpErrorText(family, slot.type, slot.code);
  return { kind: 'error', reason, text, rttMs, from: slot.from };
}

function udpAnswer({ addon, handle, buffer, sent }: HopSocket): HopAnswer | undefined {
  if (addon.read(handle, false) === 0) return undefined;
  const slot = readSlot(buffer, 0);
  const rttMs = roundTripMs({ sent, read: readClocks(buffer), queuedNs: slot.queuedNs });
  return { kind: 'reached', rttMs, from: slot.from, text: 'answered' };
}

function tcpAnswer({ addon, handle, buffer, address, sent }: HopSocket): HopAnswer | undefined {
  const errno = addon.socketError(handle);
  const name = errno === 0 ? 'connected' : getSystemErrorName(-errno);
  if (name !== 'connected' && name !== 'ECONNREFUSED') return undefined;
  addon.read(handle, true); // for its clocks, because a connection has no timestamp of its own
  const rttMs = roundTripMs({ sent, read: readClocks(buffer), queuedNs: Number.NaN });
  return { kind: 'reached', rttMs, from: address, text: errno === 0 ? 'connected' : 'refused' };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
}
