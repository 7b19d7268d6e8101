import type { Socket } from 'node:net';
import { type Addon, loadAddon } from './addon.ts';

/** The kernel's figures of a TCP connection (Linux, TCP_INFO), microseconds. */
export interface TcpFigures {
  /** Smoothed round-trip time. After one sample, that of the handshake, it is that sample. */
  readonly rttUs: number;
  /** Mean deviation of the round-trip time. After one sample it is half of that sample. */
  readonly rttvarUs: number;
  /** Retransmitted segments, including the SYN. */
  readonly sentAgain: number;
}

/** Reads the figures of a connected socket; undefined if this system has none. */
export type ReadTcpFigures = (socket: Socket) => TcpFigures | undefined;

/**
 * Creates the reader. It loads the addon at its first use. Systems other than Linux, and hosts without a current build
 * of the addon, have no figures.
 */
export function createTcpFigures(load: () => Addon | { readonly error: string } = loadAddon): ReadTcpFigures {
  let addon: Addon | { readonly error: string } | undefined;
  return (socket) => {
    addon ??= load();
    if ('error' in addon) return undefined;
    const fd = descriptorOf(socket);
    const figures = fd === undefined ? undefined : addon.tcpFigures?.(fd);
    if (figures === undefined) return undefined;
    const [rttUs, rttvarUs, sentAgain] = figures;
    return { rttUs, rttvarUs, sentAgain };
  };
}

/**
 * Node has no public access to the descriptor of a socket. This internal property is as old as its TCP handle. Without
 * it there are no figures.
 */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return undefined;
  return typeof handle.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
}
