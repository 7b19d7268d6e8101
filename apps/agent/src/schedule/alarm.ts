import type { Clock } from '@vantage/kernel';

/** Calls the scheduler when it must read its queue again. */
interface Alarm extends Disposable {
  /** Requests a call after this time, milliseconds, or up to 4 ms later. An earlier requested call stays. */
  after(ms: number): void;
}

/** The queue is read at least this often, so that a moved due time is noticed. */
const maxWaitMs = 1000;

/**
 * Minimum time between two calls, because waking the process costs more than starting a check. The first call after a
 * pause is exact.
 */
const minIntervalMs = 4;

/** Creates the alarm. It rings only when requested, and not after its disposal. */
export function createAlarm(deps: {
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  readonly ring: () => void;
}): Alarm {
  const { clock, ring } = deps;
  let timer: Disposable | undefined;
  let ringsAtMs = 0;
  let rangMs = Number.NEGATIVE_INFINITY;
  return {
    after(ms) {
      const nowMs = clock.monoMs();
      const waitMs = Math.min(maxWaitMs, Math.ceil(Math.max(1, ms, rangMs + minIntervalMs - nowMs)));
      const atMs = nowMs + waitMs;
      // Each check requests this several times. A timer that fires earlier reads the queue again, so it stays.
      if (timer !== undefined && ringsAtMs <= atMs) return;
      timer?.[Symbol.dispose]();
      ringsAtMs = atMs;
      timer = clock.timer(waitMs, () => {
        timer = undefined;
        rangMs = clock.monoMs();
        ring();
      });
    },
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}
