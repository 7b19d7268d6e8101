import { declareState } from '@vantage/kernel';

/**
 * Pieces of work that begin in one iteration of the event loop. A TLS handshake costs more than a millisecond, and
 * other work waits meanwhile.
 */
const workPerIteration = 4;

/**
 * Work of strangers that waits to begin (TLS handshakes, pipelined requests): a bounded number begins in one iteration
 * of the event loop, one address after the other.
 */
export interface TurnQueue {
  /** Runs `begin` in a later iteration. How many of one address wait must be bounded by the caller. */
  add(address: string, begin: () => void): void;
}

const tracked = declareState({
  name: 'addresses_with_turns',
  entries: 4_096,
  entryBytes: 500,
  filledBy: 'strangers',
  atBound: 'the limit of connections',
});

/** Makes an empty queue. `later` runs a function after what the event loop has to do now, as `setImmediate` does. */
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
    const [address, work] = next.value;
    const begin = work.shift();
    // Inserted again, the address comes after all others.
    waiting.delete(address);
    if (work.length > 0) waiting.set(address, work);
    return begin;
  };
  const iterate = () => {
    for (let i = 0; i < perIteration; i += 1) takeNext()?.();
    if (waiting.size > 0) later(iterate);
  };
  return {
    add(address, begin) {
      if (waiting.size === 0) later(iterate);
      const own = waiting.get(address);
      if (own === undefined) waiting.set(address, [begin]);
      else own.push(begin);
    },
  };
}
