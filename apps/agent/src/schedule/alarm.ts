import type { Clock } from '@vantage/kernel';

/** Calls the scheduler when it must read its queue again. */
export interface Alarm extends Disposable {
  /** Asks for a call after this time, milliseconds, or up to 4 ms later. An earlier one that was asked for stays. */
  after(ms: number): void;
}

/** The queue is read at least this often, so that a due time that moved is noticed. */
const longestWaitMs = 1000;
/**
 * Calls come at most this often; the first after a pause is exact. A wake of the process costs more than a check's
 * start.
 */
const minIntervalMs = 4;

/** Creates the alarm; it rings not before it is asked to, and not after its disposal. */
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
      const waitMs = Math.min(longestWaitMs, Math.ceil(Math.max(1, ms, rangMs + minIntervalMs - nowMs)));
      const atMs = nowMs + waitMs;
      // Each check asks for this several times. A timer that wakes earlier reads the queue again, so it stays.
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
