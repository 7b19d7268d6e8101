import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getSystemErrorName } from 'node:util';
import { type Clock, messageOf, systemClock } from '@vantage/kernel';
import { type Addon, addonKind, batchSize, loadAddon, readClocks, readSlot, type Slot } from './addon.ts';
import { type Arrival, createIcmpSocket, type IcmpSocket, type OpenTransport } from './icmp-socket.ts';
import { decode, decodeRequest, type Family, type Incoming } from './packet.ts';
import { type RawSocketModule, rawSocketTransport } from './raw-socket.ts';

/** The options of opening; all but the family have a default. */
export interface OpenIcmpOptions {
  readonly family: Family;
  /** Kinds to try, in this order. Default: raw, then datagram. */
  readonly kinds?: readonly ('raw' | 'datagram')[];
  /** Times out pings. */
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Why there is no socket, for the operator. */
export interface IcmpUnavailable {
  readonly error: string;
}

/**
 * Opens a socket for pings, of the first kind that this process may have: with our addon on Linux, else with the
 * package `raw-socket`. An error names the missing right: `needs CAP_NET_RAW, or group 1000 in
 * net.ipv4.ping_group_range (now 1 0: no group)`.
 */
export function openIcmp(options: OpenIcmpOptions): IcmpSocket | IcmpUnavailable {
  const { family, kinds = ['raw', 'datagram'], clock = systemClock, random = Math.random } = options;
  const addon = loadAddon();
  if ('error' in addon) return openRawSocket(family, clock, random, addon.error);
  let refusal = 'no kind of socket was asked for';
  for (const kind of kinds) {
    const open = nativeTransport(addon, family, kind);
    const socket = createIcmpSocket({ open, family, kind, clock, random });
    if (!('error' in socket)) return socket;
    if (socket.code !== 'EPERM' && socket.code !== 'EACCES') return { error: openFailure(family, socket) };
    refusal = `no right to open an ICMP socket: ${missingRight()}`;
  }
  return { error: refusal };
}

function openRawSocket(
  family: Family,
  clock: Clock,
  random: () => number,
  addonError: string,
): IcmpSocket | IcmpUnavailable {
  const load = (): RawSocketModule => createRequire(import.meta.url)('raw-socket');
  const open = rawSocketTransport(load, family, clock);
  const socket = createIcmpSocket({ open, family, kind: 'raw', clock, random });
  if (!('error' in socket)) return socket;
  if (socket.code === 'MODULE_NOT_FOUND') {
    return {
      error: `${addonError}, and the package raw-socket is not built; "npm rebuild raw-socket --ignore-scripts=false" builds it`,
    };
  }
  return { error: `${openFailure(family, socket)}; on this system PING needs administrator's rights` };
}

function openFailure(family: Family, failure: { readonly error: string }): string {
  return `cannot open an ICMP socket for IPv${family}: ${failure.error}`;
}

/** The addon's socket as a transport: receive times are the kernel's. */
function nativeTransport(addon: Addon, family: Family, kind: 'raw' | 'datagram'): OpenTransport {
  return (onArrival) => {
    const withIpHeader = family === 4 && kind === 'raw';
    let closed = false;
    const opened = open();
    if ('error' in opened) return opened;
    const { handle, buffer } = opened;

    function open() {
      try {
        return addon.open(addonKind[kind], family === 6, () => void drain());
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
        return { error: messageOf(error), code };
      }
    }

    function readAll(errorQueue: boolean): void {
      while (!closed) {
        const count = addon.read(handle, errorQueue);
        const read = readClocks(buffer);
        for (let index = 0; index < count; index += 1) {
          const slot = readSlot(buffer, index);
          const incoming = incomingOf(slot);
          if (incoming) onArrival(arrivalOf(slot, incoming, read));
        }
        if (count < batchSize) return;
      }
    }

    function incomingOf(slot: Slot): Incoming | undefined {
      if (!slot.fromErrorQueue) return decode(family, slot.data, withIpHeader);
      const request = decodeRequest(family, slot.data);
      return request && { kind: 'error', type: slot.type, code: slot.code, ...request };
    }

    function drain(): boolean {
      readAll(false);
      if (kind === 'datagram') readAll(true);
      return true;
    }

    return {
      send: (packet, address, ttl) => {
        const errno = addon.send(handle, packet, address, 0, ttl);
        if (errno !== 0) return { ok: false, code: getSystemErrorName(-errno) };
        const clocks = readClocks(buffer);
        return { ok: true, sentAt: () => clocks };
      },
      drain,
      holdOpen: (yes) => addon.holdOpen(handle, yes),
      close: () => {
        closed = true;
        addon.close(handle);
      },
    };
  };
}

function arrivalOf(slot: Slot, incoming: Incoming, read: Arrival['read']): Arrival {
  const { from, ttl, length, queuedNs } = slot;
  return { incoming, from, ttl, length, read, queuedNs };
}

/**
 * The right that is missing when this process may open no ICMP socket, for the operator: `needs CAP_NET_RAW, or group
 * 1000 in net.ipv4.ping_group_range (now 1 0: no group)`. The same setting governs IPv6.
 */
export function missingRight(): string {
  const group = process.getegid?.() ?? 0;
  return describeMissingRight(group, readPingGroupRange());
}

/** The text for a group id and the setting's content (two group ids, first and last). */
export function describeMissingRight(group: number, range: string | undefined): string {
  const alternative = `group ${group} in net.ipv4.ping_group_range`;
  if (range === undefined) return `needs CAP_NET_RAW, or ${alternative}`;
  const [first = 1, last = 0] = range.trim().split(/\s+/).map(Number);
  const now = `now ${first} ${last}${first > last ? ': no group' : ''}`;
  return `needs CAP_NET_RAW, or ${alternative} (${now})`;
}

function readPingGroupRange(): string | undefined {
  try {
    return readFileSync('/proc/sys/net/ipv4/ping_group_range', 'utf8');
  } catch {
    return undefined; // not Linux, or /proc is hidden
  }
}
