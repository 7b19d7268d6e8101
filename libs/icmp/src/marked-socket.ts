import { Socket, type SocketConstructorOpts } from 'node:net';
import { type Addon, loadAddon } from './addon.ts';
import type { Family } from './packet.ts';

type LoadAddon = () => Addon | { readonly error: string };

/** The option keeps Node from reading before the connect. It is as old as sockets from descriptors. */
interface UnstartedOptions extends SocketConstructorOpts {
  readonly manualStart: true;
}

/** Why this system cannot mark the packets of TCP; undefined: it can. */
export function whyNoMarks(load: LoadAddon = loadAddon): string | undefined {
  const addon = load();
  if ('error' in addon) return addon.error;
  return addon.openTcp === undefined ? 'the ICMP addon is of an older version' : undefined;
}

/**
 * Opens a TCP socket whose packets, the first one included, are marked with a code point (0 to 63). Node cannot set it:
 * the descriptor of a socket exists only once it connects. So the addon opens the socket, and Node owns it. Never
 * throws: a socket that cannot be opened is destroyed with the system's error.
 */
export function openMarkedSocket(family: Family, dscp: number, load: LoadAddon = loadAddon): Socket {
  try {
    const addon = load();
    if ('error' in addon || addon.openTcp === undefined) throw new Error(whyNoMarks(load));
    const fd = addon.openTcp(family === 6, dscp << 2);
    const options: UnstartedOptions = { fd, readable: true, writable: true, manualStart: true };
    return new Socket(options);
  } catch (error) {
    return new Socket().destroy(error instanceof Error ? error : new Error(String(error)));
  }
}
