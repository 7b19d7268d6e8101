import {
  type AlertFacts,
  type AlertTimes,
  type DeviceFacts,
  flappingWindowUs,
  kindsOfLocation,
  momentKinds,
  type RequestedCheck,
  type Schedule,
} from '@vantage/alerts';
import { minuteUs, secondUs } from '@vantage/domain';
import type { TimeScale } from '../../platform/config/time-scale.ts';
import { readSeverity } from './alert-row.ts';
import type { DueAlert, SubjectRow } from './due-store.ts';

/** The waiting times of this step, microseconds. */
export interface StepTimes extends AlertTimes {
  /** An answer may take this much longer than its Timeout. */
  readonly graceUs: number;
  /** A contact that cannot be reached for so long has an alert. */
  readonly failingUs: number;
  /** How long a RetryDelay, given in seconds, lasts. */
  readonly retryDelayUs: (seconds: number) => number;
}

/** The facts that decide about an alert, from what was read of the database. Pure. */
export function toFacts(
  alert: DueAlert,
  read: {
    readonly subject: SubjectRow | undefined;
    readonly schedule: Schedule | 'unreadable' | null;
    readonly check: RequestedCheck;
    /** Of the failure, or that the alert is about. */
    readonly location: { readonly isDeleted: boolean } | null;
    readonly times: StepTimes;
    readonly nowUs: number;
  },
): AlertFacts {
  const { subject, schedule, check, location, times, nowUs } = read;
  return {
    device: alert.device_no === null ? null : subject === undefined ? 'missing' : deviceFacts(subject, times),
    check,
    schedule,
    severity: readSeverity(alert.severity),
    times,
    nowUs,
    reason: alert.reason,
    acknowledged: alert.acknowledged_us !== null,
    snoozedUntilUs: alert.snoozed_until_us,
    isAboutPartial: alert.kind === 'device.partial',
    isWarning: alert.kind === 'device.slow' || alert.kind === 'certificate.expiring',
    isLocationDeleted: kindsOfLocation.has(alert.kind) && location?.isDeleted === true,
    isMoment: momentKinds.has(alert.kind),
  };
}

function deviceFacts(subject: SubjectRow, { graceUs, retryDelayUs }: StepTimes): DeviceFacts {
  const delayUs = retryDelayUs(subject.masterRetryDelayS);
  return {
    enabled: subject.enabled,
    status: subject.status,
    isChecked: subject.isChecked,
    isPartial: subject.isPartial,
    maintenanceUntilUs: subject.maintenanceUntilUs,
    canBeChecked: subject.canBeChecked,
    retries: subject.retries,
    retryDelayUs: retryDelayUs(subject.retryDelayS),
    masterWasDown: subject.masterWasDown,
    master:
      subject.masterNo === null
        ? null
        : {
            name: subject.masterName,
            enabled: subject.masterEnabled,
            status: subject.masterStatus,
            retrying: subject.masterRetrying,
            inMaintenance: subject.masterInMaintenance,
            isCheckedHere: subject.masterIsCheckedHere,
            canBeChecked: subject.masterCanBeChecked,
            retries: subject.masterRetries,
            retryDelayUs: delayUs,
            longestSequenceUs:
              (subject.masterRetries + 2) * (delayUs + subject.masterTimeoutS * secondUs + 2 * graceUs),
          },
  };
}

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
