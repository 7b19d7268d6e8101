import type { Socket } from 'node:net';
import { type Clock, clientNetwork, createTurnQueue, declareShare } from '@vantage/kernel';
import { isOverdue, nextPhase, type PhaseLimits } from './connection-phase.ts';
import {
  type Connection,
  type ConnectionTable,
  createConnectionTable,
  nameOf,
  newConnection,
  type SlicedAnswer,
} from './connection-table.ts';
import { type ArrivedRequest, bytesOfWaiting, createRequestTurns } from './request-turns.ts';
import { createUnsentBytes, unsentCapBytes } from './unsent-bytes.ts';

declareShare({
  name: 'pipelined_requests',
  limit: '1,024 wait',
  filledBy: 'strangers',
  share: '64 a connection, 256 an address (IPv6: /64); addresses take turns',
});

/** The open connections of a port that speaks HTTP. */
export interface Connections {
  /** Takes a new connection in, or closes it; false when it closed it. */
  take(socket: Socket): boolean;
  /** Its first byte came: a TLS handshake begins, or HTTP in clear. */
  heard(socket: Socket, isTls: boolean): void;
  /** Its handshake is done; HTTP is spoken through `secured` from now on. */
  secured(secured: Socket): void;
  /** A request's header came. It begins when the answer before it on its connection has left. */
  request(arrived: ArrivedRequest): void;
  /** Closes those between two requests. */
  closeIdle(): void;
  /** Cuts all of them, and reviews them no more. */
  destroyAll(): void;
}

const reviewEveryMs = 1_000;

/**
 * Keeps the connections of a port within their caps and closes those that are overdue. (Node has deadlines of its own
 * for requests, but enforces them only in servers that listen by themselves.) With all places taken a new connection
 * gets the place of the one that waits longest without a request in work, of the network that holds the most; trusted
 * proxies keep theirs.
 */
export function createConnections({
  clock,
  caps,
  limits,
  isProxy,
  onRefused,
  onUnread,
  unsentBytes = unsentCapBytes,
}: {
  readonly clock: Clock;
  readonly caps: ConnectionCaps;
  readonly limits: PhaseLimits;
  readonly isProxy: (address: string) => boolean;
  /** A connection was closed because no place was left. */
  readonly onRefused: (address: string, reason: 'network' | 'total') => void;
  /**
   * A connection was cut because its client does not read, or ends because the client sent too many requests without
   * waiting for answers.
   */
  readonly onUnread: (address: string, reason: 'bytes' | 'requests') => void;
  /** The most that all connections together keep for clients that do not read. */
  readonly unsentBytes?: number;
}): Connections {
  const table = createConnectionTable();
  const traffic = createConnectionTraffic({ clock, table, capBytes: unsentBytes, onUnread });
  let reviewing: Disposable | undefined;

  const review = () => {
    reviewing = undefined;
    const nowMs = clock.monoMs();
    for (const one of table.all()) {
      traffic.advance(one);
      if (isOverdue(one.phase, nowMs, limits)) one.socket.destroy();
    }
    if (table.size > 0) reviewing = clock.timer(reviewEveryMs, review);
  };
  const refuse = (socket: Socket, reason: 'network' | 'total'): false => {
    onRefused(socket.remoteAddress ?? '', reason);
    socket.destroy();
    return false;
  };

  return {
    take(socket) {
      const { remoteAddress } = socket;
      const name = nameOf(socket);
      if (remoteAddress === undefined || name === undefined) {
        socket.destroy(); // gone already
        return false;
      }
      const network = clientNetwork(remoteAddress);
      const proxied = isProxy(remoteAddress);
      const admission = admit(
        { fromNetwork: table.countOf(network), open: table.size, isProxy: proxied },
        caps,
      );
      if (admission === 'refuse') return refuse(socket, 'network');
      if (admission === 'admit-and-evict') {
        const idlest = table.findIdlest();
        if (idlest === undefined) return refuse(socket, 'total');
        onRefused(idlest.socket.remoteAddress ?? '', 'total');
        idlest.socket.destroy();
        traffic.remove(idlest);
      }
      const one = newConnection({ name, network, isProxy: proxied, socket }, clock.monoMs());
      table.add(one);
      socket.once('close', () => traffic.remove(one));
      reviewing ??= clock.timer(reviewEveryMs, review);
      return true;
    },
    heard(socket, isTls) {
      const one = table.find(socket);
      if (one === undefined) return;
      const sinceMs = clock.monoMs();
      one.phase = isTls ? { kind: 'handshake', sinceMs } : { kind: 'receiving', sinceMs, begun: 0 };
    },
    secured(secured) {
      const one = table.find(secured);
      if (one === undefined) {
        secured.destroy();
        return;
      }
      one.spoken = secured;
      one.phase = { kind: 'receiving', sinceMs: clock.monoMs(), begun: 0 };
    },
    request: (arrived) => traffic.request(arrived),
    closeIdle() {
      for (const { phase, socket } of table.all()) if (phase.kind === 'idle') socket.destroy();
    },
    destroyAll() {
      reviewing?.[Symbol.dispose]();
      reviewing = undefined;
      for (const { socket } of table.all()) socket.destroy();
    },
  };
}

/** The requests and answers of the connections of a port. */
interface ConnectionTraffic {
  /** A request's header came. */
  request(arrived: ArrivedRequest): void;
  /** Brings the phase of a connection and its unsent bytes up to date. */
  advance(one: Connection): void;
  /** The connection is over. */
  remove(one: Connection): void;
}

/**
 * Creates the traffic. One request of a connection is in work, and all connections together keep `capBytes` at most
 * for clients that do not read.
 */
function createConnectionTraffic({
  clock,
  table,
  capBytes,
  onUnread,
}: {
  readonly clock: Clock;
  readonly table: ConnectionTable;
  readonly capBytes: number;
  /** See `createConnections`. */
  readonly onUnread: (address: string, reason: 'bytes' | 'requests') => void;
}): ConnectionTraffic {
  const unsent = createUnsentBytes<Connection>({ capBytes, all: () => table.all() });

  const readPhase = (one: Connection) => {
    if (one.phase.kind === 'silent' || one.phase.kind === 'handshake') return;
    const { begun, incoming, unanswered, spoken } = one;
    // A request closes only after its body was read to the end. Handlers do not read the body of a GET, so `complete`
    // decides here.
    for (const request of incoming) if (request.complete) incoming.delete(request);
    const facts = {
      begun,
      incomplete: incoming.size,
      unanswered: unanswered.size,
      bytesRead: spoken.bytesRead,
      isHandedOver: [...unanswered].every((response) => response.writableEnded || one.body !== undefined),
      pendingBytes: spoken.writableLength + (one.body?.remainingBytes ?? 0),
    };
    one.phase = nextPhase(one.phase, facts, clock.monoMs());
  };
  const note = (one: Connection) => {
    for (const greatest of unsent.note(one, keptBytes(one))) {
      onUnread(greatest.socket.remoteAddress ?? '', 'bytes');
      remove(greatest);
      greatest.socket.destroy();
    }
  };
  const remove = (one: Connection) => {
    table.remove(one);
    turns.drop(one);
    unsent.note(one, 0);
  };
  const turns = createRequestTurns<Connection>({
    queue: createTurnQueue({ later: setImmediate }),
    start(one, { request, response, begin }) {
      one.begun += 1;
      one.incoming.add(request);
      one.unanswered.add(response);
      request.once('close', () => {
        one.incoming.delete(request);
        readPhase(one);
      });
      response.once('prefinish', () => note(one)); // all of the answer is handed to the socket
      response.once('pipe', (source: unknown) => {
        if (isSliced(source)) one.body = source;
        note(one);
      });
      response.once('close', () => {
        one.unanswered.delete(response);
        one.body = undefined;
        turns.next(one);
        readPhase(one);
        if (one.unsentBytes > 0) note(one);
      });
      begin();
    },
  });

  return {
    request(arrived) {
      const one = table.find(arrived.request.socket);
      if (one === undefined) return; // it is over, and nobody would get the answer
      if (!turns.arrive(one, arrived)) onUnread(one.socket.remoteAddress ?? '', 'requests');
      else if (one.waiting.length > 0) note(one);
    },
    advance(one) {
      readPhase(one);
      if (one.unsentBytes > 0 || one.unanswered.size > 0) note(one);
    },
    remove,
  };
}

/** Bytes that a connection keeps in memory until its client takes them. */
function keptBytes(one: Connection): number {
  if (one.socket.destroyed) return 0;
  const ofBody = one.body === undefined || one.body.isShared ? 0 : one.body.remainingBytes;
  return one.spoken.writableLength + ofBody + bytesOfWaiting(one);
}

function isSliced(source: unknown): source is SlicedAnswer {
  return typeof source === 'object' && source !== null && 'remainingBytes' in source && 'isShared' in source;
}

/** How many connections the REST port keeps open. */
export interface ConnectionCaps {
  /** From one client's network. */
  readonly perNetwork: number;
  /** In all. */
  readonly total: number;
}

/** Descriptors that the process needs besides its ports: database, files, standard streams, programs that it starts. */
const reservedDescriptors = 256;
/** With more connections the controller would need more memory than its hosts have. */
const maxConnections = 4_096;
const fewestConnections = 32;
const fewPerNetwork = 256;
/**
 * An office behind one address has many open pages, and a browser holds up to six connections for each: one follows the
 * events, the others wait for the next reads.
 */
const perNetwork = 1_024;

/**
 * The caps of one of the two ports of a process that may have `descriptors` open: each port gets half of the
 * descriptors that the process does not need itself, so that neither port uses those of the other.
 */
export function connectionCaps(descriptors: number): ConnectionCaps {
  const share = Math.floor((descriptors - reservedDescriptors) / 2);
  const total = Math.max(fewestConnections, Math.min(maxConnections, share));
  return { perNetwork: Math.min(perNetwork, Math.max(fewPerNetwork, Math.floor(total / 4)), total), total };
}

/** The decision on a new connection. */
type Admission = 'admit' | 'refuse' | 'admit-and-evict';

/**
 * Decides on a new connection. `fromNetwork` and `open` are counted without it; a trusted proxy stands for many
 * clients.
 */
export function admit(
  now: { readonly fromNetwork: number; readonly open: number; readonly isProxy: boolean },
  caps: ConnectionCaps,
): Admission {
  if (!now.isProxy && now.fromNetwork >= caps.perNetwork) return 'refuse';
  return now.open < caps.total ? 'admit' : 'admit-and-evict';
}
