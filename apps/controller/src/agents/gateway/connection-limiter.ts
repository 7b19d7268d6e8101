import { declareState } from '@vantage/kernel';

/**
 * How many connections a port keeps. A connection waits until it carries a stream whose token is known, and again after
 * its end.
 */
export interface ConnectionLimits {
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
  /** The connection that may be closed to make room: the one that waits longest, unless even it is fresh. */
  const stale = (ids: Set<Id>, nowMs: number): Id | undefined => {
    // Sets keep the order of insertion; a connection that waits again is inserted again.
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
