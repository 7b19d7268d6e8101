import type { Clock } from '@vantage/kernel';

/** Runs a job soon after a request, at most once in an interval. One run serves all earlier requests. */
interface Throttle extends Disposable {
  schedule(): void;
}

/** Creates the throttle. It reads `minIntervalMs` before each start. After disposal the job starts no more. */
export function createThrottle(deps: {
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  readonly minIntervalMs: () => number;
  readonly job: () => void;
}): Throttle {
  const { clock, minIntervalMs, job } = deps;
  let begunMs = Number.NEGATIVE_INFINITY;
  let timer: Disposable | undefined;
  let isDisposed = false;
  return {
    schedule() {
      if (isDisposed) return;
      timer ??= clock.timer(Math.max(0, begunMs + minIntervalMs() - clock.monoMs()), () => {
        timer = undefined;
        begunMs = clock.monoMs();
        job();
      });
    },
    [Symbol.dispose]() {
      isDisposed = true;
      timer?.[Symbol.dispose]();
    },
  };
}
