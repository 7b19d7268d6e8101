import { createSemaphore, declareState, type Semaphore } from '@vantage/kernel';

/** When a place is waited for and kept. */
export interface Stay {
  /** Aborts when the caller is gone: then it waits no longer. */
  readonly signal: AbortSignal;
  /**
   * Aborts when the answer was sent or its connection is closed: a place is kept until then, so that answers that
   * nobody reads count.
   */
  readonly sent: AbortSignal;
}

/** Bounds what each key, account or network has under way; undefined at once when too much waits already. */
export interface Places<Key> {
  run<T>(key: Key, work: () => Promise<T>, stay: Stay): Promise<{ readonly value: T } | undefined>;
}

const tracked = declareState({
  name: 'keys_in_work',
  entries: { each: 'running request' },
  entryBytes: 1_000,
  filledBy: 'callers',
  atBound: 'a key without a request leaves',
});

/** Creates the places. A key is remembered only while something of it is under way. */
export function createPlaces<Key extends number | string>(places: {
  readonly running: number;
  readonly waiting: number;
}): Places<Key> {
  const semaphores = tracked(new Map<Key, Semaphore>());
  return {
    async run(key, work, { signal, sent }) {
      const own = semaphores.get(key) ?? createSemaphore(places);
      semaphores.set(key, own);
      const forget = () => {
        if (own.size === 0 && semaphores.get(key) === own) semaphores.delete(key);
      };
      try {
        return await own.run(work, signal, sent);
      } finally {
        if (own.size === 0) forget();
        else if (!sent.aborted) sent.addEventListener('abort', forget, { once: true });
      }
    },
  };
}
