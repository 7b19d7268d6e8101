import type { Socket } from 'node:net';
import {
  type Clock,
  clientNetwork,
  createLogSummary,
  declareShare,
  declareState,
  type Logger,
} from '@vantage/kernel';
import { createRateLimiter } from '../../server/rate-limiter.ts';
import { type ConnectionLimits, createConnectionLimiter } from './connection-limiter.ts';

declareShare({
  name: 'new_connections_of_agents',
  limit: '1,024 in a row and then 50 a second for each address (IPv6: /64)',
  filledBy: 'agents, strangers',
  share: 'the same',
});

/** Bounds the connections of the agents' port, also those that speak no TLS and no HTTP/2 yet. */
export interface ConnectionGuard extends Disposable {
  /** Decides on a new connection; false: it closed it. */
  admits(socket: Socket): boolean;
  /** A known agent's stream or download runs over this connection, until it is disposed. */
  serves(socket: NamedSocket | undefined): Disposable;
  /** Counts in the log that a stream of this address was cut because its agent does not read. */
  countUnread(address: string): void;
}

/** The identity of a connection, the same below and above TLS. */
type NamedSocket = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

/** A connection must carry a known agent's stream within this time, milliseconds. */
const waitingMs = 15_000;

/** The limits of a port with this maximum of connections. The agents of one site share one address. */
export function connectionLimits(inAll: number): ConnectionLimits {
  return {
    inAll,
    perAddress: Math.min(2_048, inAll),
    waitingInAll: Math.ceil(Math.min(1_024, inAll / 2)),
    waitingPerAddress: Math.ceil(Math.min(512, inAll / 4)),
    freshMs: 2_000,
  };
}

/** New connections of one address; a TLS handshake costs a millisecond. */
const arrivals = { burst: 1_024, perSecond: 50, maxKeys: 100_000 };

const tracked = declareState({
  name: 'guarded_connections',
  entries: { each: 'agent connection' },
  entryBytes: 2_000,
  filledBy: 'agents, strangers',
  atBound: 'the limit of connections',
});

/** Creates the guard. */
export function createConnectionGuard({
  clock,
  log,
  limits,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: ConnectionLimits;
}): ConnectionGuard {
  const book = createConnectionLimiter<string>(limits);
  const arriving = createRateLimiter<string>(arrivals);
  const open = tracked(new Map<string, { readonly socket: Socket; patience: Disposable; streams: number }>());
  const refusals = createLogSummary({ clock, log });

  const refuse = (socket: Socket, reason: string): false => {
    refusals.count('connections of agents are refused', { address: socket.remoteAddress, reason });
    socket.destroy();
    return false;
  };
  const patienceFor = (socket: Socket) => clock.timer(waitingMs, () => socket.destroy());

  return {
    admits(socket) {
      const id = idOf(socket);
      const nowMs = clock.monoMs();
      const address = clientNetwork(socket.remoteAddress ?? '');
      if (id === undefined) {
        socket.destroy(); // gone already
        return false;
      }
      if (!arriving.allow(address, nowMs)) return refuse(socket, 'too many in a short time');
      const entry = book.enter(id, address, nowMs);
      if (entry.kind === 'refused') return refuse(socket, entry.reason);
      if (entry.close !== undefined) open.get(entry.close)?.socket.destroy();
      const connection = { socket, patience: patienceFor(socket), streams: 0 };
      open.set(id, connection);
      socket.once('close', () => {
        connection.patience[Symbol.dispose]();
        if (open.get(id) !== connection) return;
        open.delete(id);
        book.leave(id);
      });
      return true;
    },
    [Symbol.dispose]: () => refusals[Symbol.dispose](),
    countUnread(address) {
      refusals.count('an agent does not read the controller’s messages: stream cut', { address });
    },
    serves(socket) {
      const id = socket && idOf(socket);
      const one = id === undefined ? undefined : open.get(id);
      if (id === undefined || one === undefined) return { [Symbol.dispose]() {} };
      one.streams += 1;
      one.patience[Symbol.dispose]();
      book.serves(id);
      return {
        [Symbol.dispose]() {
          one.streams -= 1;
          if (one.streams > 0 || open.get(id) !== one || one.socket.destroyed) return;
          book.waits(id, clock.monoMs());
          one.patience[Symbol.dispose]();
          one.patience = patienceFor(one.socket);
        },
      };
    },
  };
}

/** The name of a connection, the same below and above TLS. */
function idOf(socket: NamedSocket): string | undefined {
  const { remoteAddress, remotePort, localPort } = socket;
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort} ${localPort}`;
}
