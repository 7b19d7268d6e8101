import { type Clock, systemClock } from '../clock.ts';

/** A clock whose time of day stands still until `step`. Its waits are true. */
export interface SteppedClock extends Clock {
  /** Moves the time of day on by `ms`. No timer fires because of it. */
  step(ms: number): void;
}

/**
 * Creates a clock that starts at `startUs` (microseconds since 1970): the time of day now, unless it is given. What
 * happens between two steps happens at one time, however busy the machine is.
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
