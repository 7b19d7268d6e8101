import { createRequire } from 'node:module';
import { type Clock, systemClock } from '@vantage/kernel';
import { loadAddon } from './addon.ts';
import { createIcmpSocket, type IcmpSocket } from './icmp-socket.ts';
import { missingRight } from './missing-right.ts';
import { nativeTransport } from './native-transport.ts';
import type { Family } from './packet.ts';
import { type RawSocketModule, rawSocketTransport } from './raw-socket.ts';

export interface OpenIcmpOptions {
  readonly family: Family;
  /** Kinds to try, in this order. Default: raw, then datagram. */
  readonly kinds?: readonly ('raw' | 'datagram')[];
  /** The clock for the timeouts of pings. */
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** The reason why there is no socket, for the operator. */
export interface IcmpUnavailable {
  readonly error: string;
}

/**
 * Opens a socket for pings, of the first kind that this process may use: with our addon on Linux, else with the package
 * `raw-socket`. An error names the missing privilege: `needs CAP_NET_RAW, or group 1000 in net.ipv4.ping_group_range
 * (now 1 0: no group)`.
 */
export function openIcmp(options: OpenIcmpOptions): IcmpSocket | IcmpUnavailable {
  const { family, kinds = ['raw', 'datagram'], clock = systemClock, random = Math.random } = options;
  const addon = loadAddon();
  if ('error' in addon) return openRawSocket(family, clock, random, addon.error);
  let refusal = 'no kind of socket was requested';
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

/** The reason why this process cannot open a socket for pings; undefined: it can. */
export function whyNoPing(family: Family = 4): string | undefined {
  const socket = openIcmp({ family });
  if ('error' in socket) return socket.error;
  socket.close();
  return undefined;
}
