import type { Clock } from '@vantage/kernel';

/** Runs a job soon after it is asked for, and not again before some time has passed: what is asked meanwhile is done at once. */
export interface Throttle extends Disposable {
  schedule(): void;
}

/** Makes it: the job begins at most each `apartMs`. Disposed, nothing is begun any more. */
export function createThrottle(deps: {
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  readonly apartMs: number;
  readonly job: () => void;
}): Throttle {
  const { clock, apartMs, job } = deps;
  let begunMs = Number.NEGATIVE_INFINITY;
  let timer: Disposable | undefined;
  let isOver = false;
  return {
    schedule() {
      if (isOver) return;
      timer ??= clock.timer(Math.max(0, begunMs + apartMs - clock.monoMs()), () => {
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
