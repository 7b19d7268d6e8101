import { minuteUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';

/**
 * The controller's clock, which shows the time of the database. It counts by the monotonic clock and the time that the
 * machine slept, so a step of the machine's clock does not change it. Between moves it never goes back.
 */
export interface SharedClock extends Clock {
  /** The machine's clock minus this one, microseconds. */
  readonly machineAheadUs: number;
  /**
   * Approaches a time that is this far ahead, microseconds (negative: behind). Up to a minute the clock runs faster or
   * slower until the difference is gone; it moves over a larger one at once.
   */
  approach(aheadUs: number): void;
  /** Moves the clock by this at once, microseconds. */
  moveBy(us: number): void;
}

/** A larger difference is a step, microseconds. */
export const maxSlewUs = minuteUs;
/** The part by which the clock runs faster or slower: a minute takes ten. */
const slewRate = 0.1;
/** The machine's clock left the count by this: it was set, or the machine slept. Microseconds. */
const noticedUs = 1_000_000;

/** `upMs` counts since boot with the time that the machine slept; the monotonic clock counts without. */
export function createSharedClock(machine: Clock, upMs: () => number): SharedClock {
  let baseUs = machine.nowUs();
  let baseMs = machine.monoMs();
  let sleptMs = upMs() - baseMs;
  let lastAheadUs = 0;
  let leftUs = 0;

  const countedUs = () => {
    const passedUs = (machine.monoMs() - baseMs) * 1000;
    return baseUs + passedUs + Math.sign(leftUs) * Math.min(Math.abs(leftUs), passedUs * slewRate);
  };
  const rebase = (us: number, left: number) => {
    baseUs = us;
    baseMs = machine.monoMs();
    leftUs = left;
  };
  const nowUs = () => {
    const aheadUs = machine.nowUs() - countedUs();
    if (Math.abs(aheadUs - lastAheadUs) > noticedUs) {
      const moreMs = upMs() - machine.monoMs() - sleptMs;
      if (moreMs * 1000 > noticedUs) {
        sleptMs += moreMs;
        baseUs += moreMs * 1000;
      }
      lastAheadUs = machine.nowUs() - countedUs();
    }
    return Math.floor(countedUs());
  };
  return {
    nowUs,
    monoMs: () => machine.monoMs(),
    sleep: (ms, signal) => machine.sleep(ms, signal),
    timer: (ms, fn) => machine.timer(ms, fn),
    get machineAheadUs() {
      return machine.nowUs() - nowUs();
    },
    approach: (aheadUs) => {
      const us = nowUs();
      if (Math.abs(aheadUs) <= maxSlewUs) rebase(us, aheadUs);
      else rebase(us + aheadUs, 0);
    },
    moveBy: (us) => rebase(nowUs() + us, 0),
  };
}
