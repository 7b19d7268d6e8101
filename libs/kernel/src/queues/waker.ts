import type { Clock } from '../clock.ts';

/** A wait that can be ended early. It has one waiter at a time. */
interface Waker {
  /** Ends the present wait. It has no effect on a later one, so the caller must remember that there is work. */
  wake(): void;
  /** Resolves after `ms`, at `wake`, or when the signal aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

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
