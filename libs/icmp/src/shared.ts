import type { IcmpSocket } from './icmp-socket.ts';
import { type IcmpUnavailable, type OpenIcmpOptions, openIcmp } from './open.ts';
import type { Family } from './packet.ts';

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
