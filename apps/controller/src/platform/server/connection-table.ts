import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declareState } from '@vantage/kernel';
import type { ConnectionPhase } from './connection-phase.ts';
import type { ArrivedRequest } from './request-turns.ts';

/** An answer of which a slice is handed to the socket when the client has taken the one before. */
export interface SlicedAnswer {
  readonly remainingBytes: number;
  /** Its bytes are kept anyway. */
  readonly isShared: boolean;
}

/** One open connection of a port that speaks HTTP. */
export interface Connection {
  readonly name: string;
  readonly network: string;
  readonly isProxy: boolean;
  /** The TCP connection; destroying it closes the connection. */
  readonly socket: Socket;
  /** The stream that carries HTTP: the TCP connection, or TLS on it. */
  spoken: Socket;
  phase: ConnectionPhase;
  /** Requests that were handed to the API so far. */
  begun: number;
  /** Of these, those whose end has not come. */
  readonly incoming: Set<IncomingMessage>;
  readonly unanswered: Set<ServerResponse>;
  /** The rest of an answer that goes out in slices. */
  body: SlicedAnswer | undefined;
  /** Requests that wait until the answer before them has left. */
  readonly waiting: ArrivedRequest[];
  /** See `Pipeline`. */
  isEnding: boolean;
  /** Bytes that it keeps in memory until its client takes them: of its answer and of what waits. */
  unsentBytes: number;
}

/** A connection that was accepted now. */
export function newConnection(
  accepted: Pick<Connection, 'name' | 'network' | 'isProxy' | 'socket'>,
  sinceMs: number,
): Connection {
  return {
    ...accepted,
    spoken: accepted.socket,
    phase: { kind: 'silent', sinceMs },
    begun: 0,
    incoming: new Set(),
    unanswered: new Set(),
    body: undefined,
    waiting: [],
    isEnding: false,
    unsentBytes: 0,
  };
}

/** The open connections by name and by client network. */
export interface ConnectionTable {
  readonly size: number;
  all(): Iterable<Connection>;
  /** The connection of a socket, below or above TLS; undefined when it is gone. */
  find(socket: Socket): Connection | undefined;
  /** How many connections a network has. */
  countOf(network: string): number;
  add(connection: Connection): void;
  remove(connection: Connection): void;
  /**
   * The connection to close first: of the network that holds the most, the one that waits longest without a request in
   * work.
   */
  findIdlest(): Connection | undefined;
}

const tracked = declareState({
  name: 'rest_connections',
  entries: 4_096,
  entryBytes: 4_096,
  filledBy: 'strangers',
  atBound: 'a waiting connection is closed, or the new one refused',
});

/** Creates an empty table. */
export function createConnectionTable(): ConnectionTable {
  const open = tracked(new Map<string, Connection>());
  const perNetwork = new Map<string, Set<Connection>>();
  return {
    get size() {
      return open.size;
    },
    all: () => open.values(),
    find: (socket) => open.get(nameOf(socket) ?? ''),
    countOf: (network) => perNetwork.get(network)?.size ?? 0,
    add(one) {
      open.set(one.name, one);
      perNetwork.set(one.network, (perNetwork.get(one.network) ?? new Set()).add(one));
    },
    remove(one) {
      if (open.get(one.name) === one) open.delete(one.name);
      const same = perNetwork.get(one.network);
      same?.delete(one);
      if (same?.size === 0) perNetwork.delete(one.network);
    },
    findIdlest() {
      const crowds = [...perNetwork.values()].sort((a, b) => b.size - a.size);
      for (const crowd of crowds) {
        const waiting = [...crowd].filter((one) => !one.isProxy && waitsSince(one.phase) !== undefined);
        if (waiting.length > 0)
          return waiting.reduce((a, b) => ((waitsSince(b.phase) ?? 0) < (waitsSince(a.phase) ?? 0) ? b : a));
      }
      return undefined;
    },
  };
}

/** TLS on a connection has the addresses and ports of the connection; no two open ones share all four. */
export function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string | undefined {
  if (remoteAddress === undefined) return undefined;
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/** Since when a connection waits without a request in work; undefined while there is one. */
function waitsSince(phase: ConnectionPhase): number | undefined {
  return phase.kind === 'answering' || phase.kind === 'sending' ? undefined : phase.sinceMs;
}
