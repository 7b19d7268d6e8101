import { flappingWindowUs } from '@vantage/alerts';
import { minuteUs, secondUs } from '@vantage/domain';
import type { TimeScale } from '../../platform/config/time-scale.ts';
import type { StepTimes } from './facts.ts';

/** The waiting times at a time scale. A time in which a network answer must arrive stays at least a second. */
export function createAlertTimes(timeScale: TimeScale): StepTimes {
  return {
    minuteUs: timeScale(minuteUs),
    recheckUs: timeScale(30 * secondUs, secondUs),
    failingUs: timeScale(30 * minuteUs),
    quietUs: timeScale(flappingWindowUs),
    graceUs: timeScale(5 * secondUs, secondUs),
    retryDelayUs: (seconds) => timeScale(seconds * secondUs),
  };
}
