import { secondUs } from '@vantage/domain';
import { answerGraceUs, lateAfterUs } from '@vantage/health';
import { realTime, type TimeScale } from '../../config/time-scale.ts';

/** The waiting times of this step's rules, microseconds. */
export interface Times {
  /** A result that came this long after its end is late. */
  readonly lateAfterUs: number;
  /** A requested check may take this much longer than its Timeout. */
  readonly answerGraceUs: number;
  /** A Location is offline when all its agents have been away this long. */
  readonly offlineAfterUs: number;
  /**
   * A Location becomes offline only after a controller has served this long, because agents cannot connect during the
   * controller's own outage.
   */
  readonly servedForUs: number;
  /** The length of a device's RetryDelay, which is in seconds. */
  readonly retryDelayUs: (seconds: number) => number;
}

/** The waiting times at a time scale. A time in which a network answer must arrive stays at least a second. */
export function createTimes(timeScale: TimeScale): Times {
  return {
    lateAfterUs: timeScale(lateAfterUs, 3 * secondUs),
    answerGraceUs: timeScale(answerGraceUs, secondUs),
    offlineAfterUs: timeScale(60 * secondUs, secondUs),
    servedForUs: timeScale(120 * secondUs),
    retryDelayUs: (seconds) => timeScale(seconds * secondUs),
  };
}

/** The waiting times outside tests. */
export const trueTimes = createTimes(realTime);
