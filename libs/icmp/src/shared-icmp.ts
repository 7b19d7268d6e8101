import type { IcmpSocket } from './icmp-socket.ts';
import { type IcmpUnavailable, type OpenIcmpOptions, openIcmp } from './open-icmp.ts';
import type { Family } from './packet.ts';

/** A use of the shared socket. Disposing ends it. */
export interface IcmpLease extends Disposable {
  readonly socket: IcmpSocket;
}

/** One socket per family for a whole process, open while it has users. */
export interface SharedIcmp {
  /** Returns the socket, and opens it for the first user; or the reason why there is none. */
  use(family: Family): IcmpLease | IcmpUnavailable;
}

interface SharedSocket {
  readonly socket: IcmpSocket;
  users: number;
  /** The total number of its uses. */
  uses: number;
}

/**
 * Creates the sharing. A socket is opened at its first use, and the end of its last use closes it, so that no socket
 * outlives its work. With `later`, which calls a function some time later, an unused socket stays open for between one
 * and two times that time, because opening a socket for each ping costs more than the ping.
 */
export function createSharedIcmp(deps: {
  readonly open: (options: OpenIcmpOptions) => IcmpSocket | IcmpUnavailable;
  readonly later?: (fn: () => void) => void;
}): SharedIcmp {
  const openSockets = new Map<Family, SharedSocket>();
  const close = (family: Family, { socket }: SharedSocket) => {
    openSockets.delete(family);
    socket.close();
  };
  const closeUnused = (family: Family, entry: SharedSocket) => {
    const { later } = deps;
    const { uses } = entry;
    later?.(() => {
      if (entry.users === 0 && entry.uses === uses) close(family, entry);
      else closeUnused(family, entry);
    });
  };
  return {
    use(family) {
      const known = openSockets.get(family);
      const socket = known?.socket ?? deps.open({ family });
      if ('error' in socket) return socket;
      const entry = known ?? { socket, users: 0, uses: 0 };
      entry.users += 1;
      entry.uses += 1;
      if (known === undefined) {
        openSockets.set(family, entry);
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
 * Minimum time that an unused socket stays open, milliseconds: until the next check of a device that is checked every
 * minute or two. Linux starts to timestamp packets some milliseconds after the first socket of the host requests it,
 * and stops when the last one is closed.
 */
const unusedMs = 150_000;

/**
 * The ICMP sockets of this process, one per family. They are open during a ping or a traceroute and some minutes
 * longer.
 */
export const icmpSockets = createSharedIcmp({
  open: openIcmp,
  later: (fn) => void setTimeout(fn, unusedMs).unref(),
});
