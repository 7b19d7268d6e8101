import type { Socket } from 'node:net';
import { type Addon, loadAddon } from './addon.ts';

/** The kernel's figures of a TCP connection (Linux, TCP_INFO), microseconds. */
export interface TcpFigures {
  /** Smoothed round-trip time. While there is one sample, the handshake's, it is that sample. */
  readonly rttUs: number;
  /** Mean deviation of the round-trip time: half of the sample while there is one. */
  readonly rttvarUs: number;
  /** Segments that the kernel sent again, the SYN included. */
  readonly sentAgain: number;
}

/** Reads the figures of a connected socket; undefined where this system has none. */
export type ReadTcpFigures = (socket: Socket) => TcpFigures | undefined;

/**
 * Creates the reader. It loads the addon at the first use. Other systems than Linux, and machines without a build of
 * the addon or with an older one, have no figures.
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
 * Node has no public way to a socket's descriptor. This one is as old as its TCP handle; without it there are no
 * figures.
 */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return undefined;
  return typeof handle.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
}
