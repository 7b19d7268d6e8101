import type { IcmpSocket } from './icmp-socket.ts';
import type { IcmpUnavailable, OpenIcmpOptions } from './open.ts';
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

/** Makes the sharing; opens nothing until asked. The last user's end closes the socket, so that none outlives its work. */
export function createSharedIcmp(deps: {
  readonly open: (options: OpenIcmpOptions) => IcmpSocket | IcmpUnavailable;
}): SharedIcmp {
  const held = new Map<Family, { readonly socket: IcmpSocket; users: number }>();
  return {
    use(family) {
      const known = held.get(family);
      const socket = known?.socket ?? deps.open({ family });
      if ('error' in socket) return socket;
      const entry = known ?? { socket, users: 0 };
      entry.users += 1;
      held.set(family, entry);
      let used = true;
      return {
        socket,
        [Symbol.dispose]: () => {
          if (!used) return;
          used = false;
          entry.users -= 1;
          if (entry.users > 0) return;
          held.delete(family);
          socket.close();
        },
      };
    },
  };
}
