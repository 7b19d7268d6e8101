/** Runs a bounded number of pieces of work at one moment. A bounded number of others wait, in the order of arrival. */
export interface Semaphore {
  /**
   * Runs `work` when a place is free; undefined at once when too many wait already. A wait ends with the signal's
   * reason when it aborts. The place is free again when the work has ended and `until`, where it is given, has
   * aborted.
   */
  run<T>(
    work: () => Promise<T>,
    signal?: AbortSignal,
    until?: AbortSignal,
  ): Promise<{ readonly value: T } | undefined>;
  /** Running and waiting. */
  readonly size: number;
}

/** Creates a semaphore with places for `running` and `waiting` pieces of work. */
export function createSemaphore(places: { readonly running: number; readonly waiting: number }): Semaphore {
  let running = 0;
  const queue = new Set<() => void>();

  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = () => {
        queue.delete(go);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        queue.delete(go);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      queue.add(go);
    });
  /** The next one in the queue gets the place, so that no newcomer overtakes it. */
  const release = () => {
    const [next] = queue;
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    async run(work, signal, until) {
      signal?.throwIfAborted();
      if (running < places.running) running += 1;
      else if (queue.size < places.waiting) await turn(signal);
      else return undefined;
      try {
        return { value: await work() };
      } finally {
        if (until === undefined || until.aborted) release();
        else until.addEventListener('abort', release, { once: true });
      }
    },
    get size() {
      return running + queue.size;
    },
  };
}
