import { createSemaphore, declareState, type Semaphore } from '@vantage/kernel';

/** The time for which a request waits for a slot and occupies it. */
export interface Stay {
  /** Aborts when the caller is gone: then it waits no longer. */
  readonly signal: AbortSignal;
  /**
   * Aborts when the answer is sent or its connection is closed. The slot is occupied until then, so unread answers
   * count.
   */
  readonly sent: AbortSignal;
}

/** Bounds what each key, account or network has under way; undefined at once when too much waits already. */
export interface PerKeySemaphore<Key> {
  /** The number of requests of a key that run or wait. */
  size(key: Key): number;
  run<T>(key: Key, work: () => Promise<T>, stay: Stay): Promise<{ readonly value: T } | undefined>;
}

const tracked = declareState({
  name: 'keys_in_work',
  entries: { each: 'running request' },
  entryBytes: 1_000,
  filledBy: 'callers',
  atBound: 'a key without a request leaves',
});

/** Creates the semaphore. A key is remembered only while something of it is under way. */
export function createPerKeySemaphore<Key extends number | string>(slots: {
  readonly running: number;
  readonly waiting: number;
}): PerKeySemaphore<Key> {
  const semaphores = tracked(new Map<Key, Semaphore>());
  return {
    size: (key) => semaphores.get(key)?.size ?? 0,
    async run(key, work, { signal, sent }) {
      const semaphore = semaphores.get(key) ?? createSemaphore(slots);
      semaphores.set(key, semaphore);
      const forget = () => {
        if (semaphore.size === 0 && semaphores.get(key) === semaphore) semaphores.delete(key);
      };
      try {
        return await semaphore.run(work, signal, sent);
      } finally {
        if (semaphore.size === 0) forget();
        else if (!sent.aborted) sent.addEventListener('abort', forget, { once: true });
      }
    },
  };
}
