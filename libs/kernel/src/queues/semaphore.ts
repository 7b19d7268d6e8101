/** Runs a bounded number of tasks at the same time. A bounded number of others wait, in order of arrival. */
export interface Semaphore {
  /**
   * Runs `work` when a slot is free; undefined at once when too many tasks wait already. Rejects with the signal's
   * reason when the signal aborts during the wait. The slot is released when the work has ended and `until`, if given,
   * has aborted.
   */
  run<T>(
    work: () => Promise<T>,
    signal?: AbortSignal,
    until?: AbortSignal,
  ): Promise<{ readonly value: T } | undefined>;
  /** Running and waiting. */
  readonly size: number;
}

export function createSemaphore(max: { readonly running: number; readonly waiting: number }): Semaphore {
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
  /** The slot goes to the next in the queue, so that no newcomer overtakes it. */
  const release = () => {
    const [next] = queue;
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    async run(work, signal, until) {
      signal?.throwIfAborted();
      if (running < max.running) running += 1;
      else if (queue.size < max.waiting) await turn(signal);
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
