import type { Clock } from '@vantage/kernel';

/** Runs a job soon after a request, and at most once in a period. One run answers all requests that came before it. */
export interface Throttle extends Disposable {
  schedule(): void;
}

/**
 * Creates the throttle: the job starts at most once in `minIntervalMs`, which is asked before each start. After
 * disposal it starts no more.
 */
export function createThrottle(deps: {
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  readonly minIntervalMs: () => number;
  readonly job: () => void;
}): Throttle {
  const { clock, minIntervalMs, job } = deps;
  let begunMs = Number.NEGATIVE_INFINITY;
  let timer: Disposable | undefined;
  let isOver = false;
  return {
    schedule() {
      if (isOver) return;
      timer ??= clock.timer(Math.max(0, begunMs + minIntervalMs() - clock.monoMs()), () => {
        timer = undefined;
        begunMs = clock.monoMs();
        job();
      });
    },
    [Symbol.dispose]() {
      isOver = true;
      timer?.[Symbol.dispose]();
    },
  };
}
