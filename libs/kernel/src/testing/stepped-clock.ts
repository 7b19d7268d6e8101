import { type Clock, systemClock } from '../clock.ts';

/** A clock whose time of day changes only by `step`. Its waits are real. */
export interface SteppedClock extends Clock {
  /** Moves the time of day forward by `ms`. Fires no timer. */
  step(ms: number): void;
}

/**
 * Starts at `startUs` (microseconds since 1970), by default now. All events between two steps have the same time,
 * however busy the machine is.
 */
export function createSteppedClock(startUs = systemClock.nowUs()): SteppedClock {
  let wallUs = startUs;
  return {
    ...systemClock,
    nowUs: () => wallUs,
    step(ms) {
      wallUs += Math.round(ms * 1000);
    },
  };
}
