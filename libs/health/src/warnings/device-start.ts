import { secondUs } from '@vantage/domain';

/** sysUpTime counts hundredths of a second in 32 bits, so it begins again after 497 days. */
const wrapUs = 2 ** 32 * 10_000;
/** Agents see one start at slightly different times. */
const toleranceUs = 30 * secondUs;
/** The clock of a device may be this much too fast or too slow, as a share of the time. */
const drift = 0.0002;

/*
 * Each agent calculates the start of a device from sysUpTime at its own first check, and reports it until it sees
 * sysUpTime go back.
 *
 *   known start | reported start                                             | next
 *   none        | any                                                        | known
 *   known       | after the check (the agent's clock was wrong)              | unchanged
 *   known       | earlier, or later by at most the tolerance and the drift   | unchanged: another agent, or a clock that drifts
 *   known       | later by a multiple of 497 days, with the same tolerance   | unchanged: sysUpTime began again
 *   known       | later                                                      | known, event Restarted
 *
 * So a restart is one event, also where several Locations see it, or where the first check after it is of a new agent.
 */

/** The start of a device after a check at `atUs` that reports it, and whether the device has restarted. Pure. */
export function stepStart(
  knownUs: number | null,
  { startedUs, atUs }: { readonly startedUs: number; readonly atUs: number },
): { readonly startedUs: number | null; readonly isRestart: boolean } {
  if (startedUs > atUs + toleranceUs) return { startedUs: knownUs, isRestart: false };
  if (knownUs === null) return { startedUs, isRestart: false };
  const laterUs = startedUs - knownUs;
  const slackUs = toleranceUs + drift * Math.max(0, atUs - knownUs);
  const wraps = Math.round(laterUs / wrapUs);
  const isSame = laterUs <= slackUs || (wraps > 0 && Math.abs(laterUs - wraps * wrapUs) <= slackUs);
  return isSame ? { startedUs: knownUs, isRestart: false } : { startedUs, isRestart: true };
}
