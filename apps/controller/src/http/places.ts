import { createSemaphore, type Semaphore } from '@vantage/kernel';

/** Bounds what each key or account has under way; undefined at once when too much waits already. */
export interface Places {
  run<T>(no: number, work: () => Promise<T>, signal: AbortSignal): Promise<{ readonly value: T } | undefined>;
}

/** Makes it; it remembers a number only while something of it is under way. */
export function createPlaces(places: { readonly running: number; readonly waiting: number }): Places {
  const semaphores = new Map<number, Semaphore>();
  return {
    async run(no, work, signal) {
      const own = semaphores.get(no) ?? createSemaphore(places);
      semaphores.set(no, own);
      try {
        return await own.run(work, signal);
      } finally {
        if (own.size === 0) semaphores.delete(no);
      }
    },
  };
}
