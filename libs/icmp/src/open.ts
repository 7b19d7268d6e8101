import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getSystemErrorName } from 'node:util';
import { type Clock, messageOf, systemClock } from '@vantage/kernel';
import { type Addon, addonKind, batchSize, loadAddon, readClocks, readSlot, type Slot } from './addon.ts';
import { type Arrival, createIcmpSocket, type IcmpSocket, type OpenTransport } from './icmp-socket.ts';
import { decode, decodeRequest, type Family, type Incoming } from './packet.ts';
import { type RawSocketModule, rawSocketTransport } from './raw-socket.ts';

/** A use of the shared socket; disposing it is its end. */
export interface IcmpLease extends Disposable {
  readonly socket: IcmpSocket;
}

/** One socket a family for a whole process, open while somebody uses it. */
export interface SharedIcmp {
  /** The socket, opened if nobody else uses it now, or why there is none. */
  use(family: Family): IcmpLease | IcmpUnavailable;
}

interface Held {
  readonly socket: IcmpSocket;
  users: number;
  /** How often it was used. */
  uses: number;
}

/**
 * Creates the sharing; opens nothing until asked. The last user's end closes the socket, so that none outlives its
 * work. With `later`, which calls a function some time later, an unused socket stays open for that time at least and
 * twice that time at most: opening one for each ping costs more than the ping.
 */
export function createSharedIcmp(deps: {
  readonly open: (options: OpenIcmpOptions) => IcmpSocket | IcmpUnavailable;
  readonly later?: (fn: () => void) => void;
}): SharedIcmp {
  const held = new Map<Family, Held>();
  const close = (family: Family, { socket }: Held) => {
    held.delete(family);
    socket.close();
  };
  const closeUnused = (family: Family, entry: Held) => {
    const { later } = deps;
    const { uses } = entry;
    later?.(() => {
      if (entry.users === 0 && entry.uses === uses) close(family, entry);
      else closeUnused(family, entry);
    });
  };
  return {
    use(family) {
      const known = held.get(family);
      const socket = known?.socket ?? deps.open({ family });
      if ('error' in socket) return socket;
      const entry = known ?? { socket, users: 0, uses: 0 };
      entry.users += 1;
      entry.uses += 1;
      if (known === undefined) {
        held.set(family, entry);
        closeUnused(family, entry);
      }
      let used = true;
      return {
        socket,
        [Symbol.dispose]: () => {
          if (!used) return;
          used = false;
          entry.users -= 1;
          if (entry.users === 0 && deps.later === undefined) close(family, entry);
        },
      };
    },
  };
}

/**
 * How long an unused socket stays open at least, milliseconds: until the next check of a device that is checked every
 * minute or two. Linux begins to stamp packets some milliseconds after the first socket of the machine asks for it, and
 * stops when the last one is closed.
 */
const unusedMs = 150_000;

/**
 * The ICMP sockets of this process, one a family, open while a ping or a traceroute is under way and some minutes
 * longer.
 */
export const icmpSockets = createSharedIcmp({
  open: openIcmp,
  later: (fn) => void setTimeout(fn, unusedMs).unref(),
});

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

/** The reason why this process cannot open a socket for pings; undefined: it can. */
export function whyNoPing(family: Family = 4): string | undefined {
  const socket = openIcmp({ family });
  if ('error' in socket) return socket.error;
  socket.close();
  return undefined;
}
