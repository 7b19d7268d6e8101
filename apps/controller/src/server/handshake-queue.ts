/** Handshakes that begin in one iteration of the event loop. Each costs more than a millisecond, and other work waits meanwhile. */
const handshakesPerIteration = 4;

/** TLS handshakes that wait to begin: a bounded number begins in one iteration of the event loop, one address after the other. */
export interface HandshakeQueue {
  /** Runs `begin` in a later iteration. How many of one address wait must be bounded by the caller. */
  add(address: string, begin: () => void): void;
}

/** Makes an empty queue. `later` runs a function after what the event loop has to do now, as `setImmediate` does. */
export function createHandshakeQueue({
  perIteration = handshakesPerIteration,
  later,
}: {
  readonly perIteration?: number;
  readonly later: (run: () => void) => void;
}): HandshakeQueue {
  const waiting = new Map<string, (() => void)[]>();

  const takeNext = (): (() => void) | undefined => {
    const next = waiting.entries().next();
    if (next.done) return undefined;
    const [address, handshakes] = next.value;
    const begin = handshakes.shift();
    // Inserted again, the address comes after all others.
    waiting.delete(address);
    if (handshakes.length > 0) waiting.set(address, handshakes);
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
