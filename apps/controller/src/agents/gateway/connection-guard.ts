import type { Socket } from 'node:net';
import {
  type Clock,
  clientNetwork,
  createLogSummary,
  declareShare,
  declareState,
  type Logger,
} from '@vantage/kernel';
import { createRateLimiter } from '../../platform/server/rate-limiter.ts';

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
/** The limits of a port that may have so many connections. The agents of one site share one address. */
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
      const one = { socket, patience: patienceFor(socket), streams: 0 };
      open.set(id, one);
      socket.once('close', () => {
        one.patience[Symbol.dispose]();
        if (open.get(id) !== one) return;
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

/**
 * How many connections a port keeps. A connection waits until it carries a stream whose token is known, and again after
 * its end.
 */
interface ConnectionLimits {
  readonly inAll: number;
  readonly perAddress: number;
  readonly waitingInAll: number;
  readonly waitingPerAddress: number;
  /** A connection that waits longer than this may be closed to make room, milliseconds. */
  readonly freshMs: number;
}

/** The decision on a new connection. `close` names another connection that is closed to make room for it. */
type Entry<Id> =
  | { readonly kind: 'open'; readonly close: Id | undefined }
  | {
      readonly kind: 'refused';
      readonly reason: 'too many' | 'too many of this address' | 'too many without a stream';
    };

/**
 * The connections of a port. When the waiting connections are at their limit, the one that waits longest is closed. So
 * a client that holds connections open without a stream loses them, and an agent gets in, because it opens its stream
 * at once.
 */
interface ConnectionLimiter<Id> {
  enter(id: Id, address: string, nowMs: number): Entry<Id>;
  /** It carries a known agent's stream now. */
  serves(id: Id): void;
  /** Its stream ended. */
  waits(id: Id, nowMs: number): void;
  leave(id: Id): void;
  readonly size: number;
}

interface Known {
  readonly address: string;
  /** Undefined while it carries a stream. */
  waitsSinceMs: number | undefined;
}

const trackedLimits = declareState({
  name: 'agent_connections',
  entries: { each: 'agent connection' },
  entryBytes: 700,
  filledBy: 'agents, strangers',
  atBound: 'the limit of connections: a waiting one is closed, or the new one refused',
});

/** Creates an empty book. Pure: time is an argument. */
export function createConnectionLimiter<Id>(limits: ConnectionLimits): ConnectionLimiter<Id> {
  const known = trackedLimits(new Map<Id, Known>());
  const byAddress = new Map<string, { size: number; readonly waiting: Set<Id> }>();
  const waiting = new Set<Id>();

  const leave = (id: Id) => {
    const one = known.get(id);
    if (!one) return;
    known.delete(id);
    waiting.delete(id);
    const own = byAddress.get(one.address);
    if (!own) return;
    own.waiting.delete(id);
    own.size -= 1;
    if (own.size === 0) byAddress.delete(one.address);
  };
  /** The connection that may be closed to make room: the one that waits longest, unless even that one is fresh. */
  const stale = (ids: Set<Id>, nowMs: number): Id | undefined => {
    // Sets keep the order of insertion, and a connection that waits again is inserted anew.
    const first = ids.values().next();
    const since = first.done ? undefined : known.get(first.value)?.waitsSinceMs;
    return since !== undefined && nowMs - since > limits.freshMs ? first.value : undefined;
  };
  return {
    enter(id, address, nowMs) {
      if (known.size >= limits.inAll) return { kind: 'refused', reason: 'too many' };
      const own = byAddress.get(address) ?? { size: 0, waiting: new Set<Id>() };
      if (own.size >= limits.perAddress) return { kind: 'refused', reason: 'too many of this address' };
      const isFull = own.waiting.size >= limits.waitingPerAddress;
      let close: Id | undefined;
      if (isFull || waiting.size >= limits.waitingInAll) {
        close = stale(isFull ? own.waiting : waiting, nowMs);
        if (close === undefined) return { kind: 'refused', reason: 'too many without a stream' };
        leave(close);
      }
      known.set(id, { address, waitsSinceMs: nowMs });
      waiting.add(id);
      own.size += 1;
      own.waiting.add(id);
      byAddress.set(address, own);
      return { kind: 'open', close };
    },
    serves(id) {
      const one = known.get(id);
      if (!one) return;
      one.waitsSinceMs = undefined;
      for (const ids of [waiting, byAddress.get(one.address)?.waiting]) ids?.delete(id);
    },
    waits(id, nowMs) {
      const one = known.get(id);
      if (!one) return;
      one.waitsSinceMs = nowMs;
      for (const ids of [waiting, byAddress.get(one.address)?.waiting]) {
        ids?.delete(id);
        ids?.add(id);
      }
    },
    leave,
    get size() {
      return known.size;
    },
  };
}
