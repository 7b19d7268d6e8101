import { answerGraceUs, lateAfterUs } from '@vantage/health';
import { type Pace, trueTime } from '../pace.ts';

/** The waiting times of this step's rules, microseconds. */
export interface Times {
  /** A result that came this long after its end is late. */
  readonly lateAfterUs: number;
  /** An ordered check may take this much longer than its Timeout. */
  readonly answerGraceUs: number;
  /** A Location is blind when all its agents have been away this long. */
  readonly blindAfterUs: number;
  /** And only when a controller has served at least this long: our own outage is not theirs. */
  readonly servedForUs: number;
  /** How long a device's RetryDelay, given in seconds, lasts. */
  readonly retryDelayUs: (seconds: number) => number;
}

const secondUs = 1_000_000;

/** The waiting times at a pace; those that an answer over the network must fit into keep a second or more. */
export function createTimes(pace: Pace): Times {
  return {
    lateAfterUs: pace(lateAfterUs, 3 * secondUs),
    answerGraceUs: pace(answerGraceUs, secondUs),
    blindAfterUs: pace(60 * secondUs, secondUs),
    servedForUs: pace(120 * secondUs),
    retryDelayUs: (seconds) => pace(seconds * secondUs),
  };
}

/** The waiting times outside tests. */
export const trueTimes = createTimes(trueTime);
