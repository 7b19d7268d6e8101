import type { Clock } from './clock.ts';

/** A wait that somebody may end early. */
interface Waker {
  /** Ends the wait that is under way; without one it does nothing, so the caller keeps in mind that there is work. */
  wake(): void;
  /** Resolves after `ms`, when somebody wakes it, or when the signal aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Creates one for one waiter at a time. */
export function createWaker(clock: Pick<Clock, 'timer'>): Waker {
  let wake = () => {};
  return {
    wake: () => wake(),
    wait(ms, signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const end = () => {
          wake = () => {};
          timer[Symbol.dispose]();
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = clock.timer(ms, end);
        signal.addEventListener('abort', end, { once: true });
        wake = end;
      });
    },
  };
}
