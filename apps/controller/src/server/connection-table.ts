import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declareState } from '@vantage/kernel';
import type { ConnectionPhase } from './connection-phase.ts';
import type { ArrivedRequest } from './request-turns.ts';

/** An answer of which the socket gets one slice after the other, each when the client has read the previous one. */
export interface SlicedAnswer {
  readonly remainingBytes: number;
  /** Its bytes are also used elsewhere, so they need no memory of the connection. */
  readonly isShared: boolean;
}

/** An open connection of an HTTP port. */
export interface HttpConnection {
  readonly name: string;
  readonly network: string;
  readonly isProxy: boolean;
  /** The TCP connection; destroying it closes the connection. */
  readonly socket: Socket;
  /** The socket that carries HTTP: the TCP connection, or TLS on it. */
  httpSocket: Socket;
  phase: ConnectionPhase;
  /** The number of requests that the API has received. */
  begun: number;
  /** The requests of these whose bodies are incomplete. */
  readonly incoming: Set<IncomingMessage>;
  readonly unanswered: Set<ServerResponse>;
  /** The rest of a sliced answer. */
  body: SlicedAnswer | undefined;
  /** Requests that wait for the previous answer. */
  readonly waiting: ArrivedRequest[];
  /** See `Pipeline`. */
  isEnding: boolean;
  /** Bytes of the answer and of waiting requests that it buffers until its client reads. */
  unsentBytes: number;
}

export function newConnection(
  accepted: Pick<HttpConnection, 'name' | 'network' | 'isProxy' | 'socket'>,
  sinceMs: number,
): HttpConnection {
  return {
    ...accepted,
    httpSocket: accepted.socket,
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

/** The open connections by name and by network of the client. */
export interface ConnectionTable {
  readonly size: number;
  all(): Iterable<HttpConnection>;
  /** The connection of a TCP or TLS socket; undefined: it has ended. */
  find(socket: Socket): HttpConnection | undefined;
  countOf(network: string): number;
  add(connection: HttpConnection): void;
  remove(connection: HttpConnection): void;
  /**
   * The connection to close first: the one that has waited longest without a running request, in the network with the
   * most connections.
   */
  findIdlest(): HttpConnection | undefined;
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
  const open = tracked(new Map<string, HttpConnection>());
  const perNetwork = new Map<string, Set<HttpConnection>>();
  return {
    get size() {
      return open.size;
    },
    all: () => open.values(),
    find: (socket) => open.get(nameOf(socket) ?? ''),
    countOf: (network) => perNetwork.get(network)?.size ?? 0,
    add(connection) {
      const { name, network } = connection;
      open.set(name, connection);
      perNetwork.set(network, (perNetwork.get(network) ?? new Set()).add(connection));
    },
    remove(connection) {
      const { name, network } = connection;
      if (open.get(name) === connection) open.delete(name);
      const ofNetwork = perNetwork.get(network);
      ofNetwork?.delete(connection);
      if (ofNetwork?.size === 0) perNetwork.delete(network);
    },
    findIdlest() {
      const crowds = [...perNetwork.values()].sort((a, b) => b.size - a.size);
      for (const crowd of crowds) {
        const waiting = [...crowd].filter(
          ({ isProxy, phase }) => !isProxy && waitsSince(phase) !== undefined,
        );
        if (waiting.length > 0)
          return waiting.reduce((a, b) => ((waitsSince(b.phase) ?? 0) < (waitsSince(a.phase) ?? 0) ? b : a));
      }
      return undefined;
    },
  };
}

/** Addresses and ports, which identify an open connection and the TLS socket on it. */
export function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string | undefined {
  if (remoteAddress === undefined) return undefined;
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/** Since when a connection has no running request; undefined: it has one. */
function waitsSince(phase: ConnectionPhase): number | undefined {
  return phase.kind === 'answering' || phase.kind === 'sending' ? undefined : phase.sinceMs;
}
