import { declareState } from './tracked-state.ts';

/**
 * Pieces of work that begin in one iteration of the event loop. A TLS handshake costs more than a millisecond, and
 * other work waits meanwhile.
 */
const workPerIteration = 4;

/**
 * Work that waits to begin (TLS handshakes, pipelined requests, answers): a bounded number begins in one iteration of
 * the event loop, one owner after the other.
 */
export interface TurnQueue {
  /** Runs `begin` in a later iteration. How many of one owner wait must be bounded by the caller. */
  add(owner: string, begin: () => void): void;
}

const tracked = declareState({
  name: 'owners_with_turns',
  entries: 4_096,
  entryBytes: 500,
  filledBy: 'keys, strangers',
  atBound: 'the limits of connections and of requests of a key',
});

/** Creates an empty queue. `later` runs a function after what the event loop has to do now, as `setImmediate` does. */
export function createTurnQueue({
  perIteration = workPerIteration,
  later,
}: {
  readonly perIteration?: number;
  readonly later: (run: () => void) => void;
}): TurnQueue {
  const waiting = tracked(new Map<string, (() => void)[]>());

  const takeNext = (): (() => void) | undefined => {
    const next = waiting.entries().next();
    if (next.done) return undefined;
    const [owner, work] = next.value;
    const begin = work.shift();
    // Inserted again, the owner comes after all others.
    waiting.delete(owner);
    if (work.length > 0) waiting.set(owner, work);
    return begin;
  };
  const iterate = () => {
    for (let i = 0; i < perIteration; i += 1) takeNext()?.();
    if (waiting.size > 0) later(iterate);
  };
  return {
    add(owner, begin) {
      if (waiting.size === 0) later(iterate);
      const own = waiting.get(owner);
      if (own === undefined) waiting.set(owner, [begin]);
      else own.push(begin);
    },
  };
}
