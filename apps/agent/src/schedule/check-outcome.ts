import { isGood } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';
import type { Assignment, CheckResult } from '@vantage/proto';
import { isOneOffDone } from './apply-run-request.ts';
import type { CheckJob } from './check-job.ts';
import { resultOf } from './check-result.ts';
import { type DeviceSchedule, retryRulesOf, setRetrySequence } from './device-schedule.ts';
import { afterAnswer, isFirstError } from './retry-sequence.ts';
import { asStalled } from './stalls.ts';

/** Consecutive measurements of a device that may be discarded because the process stood still. */
const maxDiscarded = 3;

/** A check that was started, with the settings and the job at that time. Corrected microseconds. */
export interface StartedCheck {
  readonly schedule: DeviceSchedule;
  readonly assignment: Assignment;
  readonly job: CheckJob;
  readonly startUs: number;
  /** Delay of its start after the due time. */
  readonly blockMs: number;
}

/**
 * The measurement to confirm; undefined: it is discarded. A process that stood still during a check knows neither the
 * device's state nor its times. After three discarded measurements in a row, a failure becomes the agent's own fault.
 */
export function usableMeasurement(
  schedule: DeviceSchedule,
  measurement: Measurement,
  isStalled: boolean,
): Measurement | undefined {
  if (isStalled && schedule.discarded < maxDiscarded) {
    schedule.discarded += 1;
    return undefined;
  }
  schedule.discarded = 0;
  return isStalled && !isGood(measurement.code) ? asStalled(measurement) : measurement;
}

/** Applies a confirmed measurement to the device's schedule and returns the result to write. */
export function applyMeasurement(
  check: StartedCheck,
  measurement: Measurement,
  at: {
    readonly endUs: number;
    readonly nowUs: number;
    readonly requestGraceMs: number;
    readonly newId: () => string;
  },
): { readonly result: CheckResult; readonly context: ResultContext } {
  const { schedule, assignment, job, startUs, blockMs } = check;
  const { deviceNo, deviceCreatedUs, revision } = assignment;
  const attempt = job.kind === 'retry' ? job.attempt : 0;
  const retryId = job.kind === 'retry' ? job.retryId : '';
  const answer = { code: measurement.code, attempt, retryId, endUs: at.endUs };
  const before = schedule.retrySequence;
  const after = afterAnswer(before, answer, retryRulesOf(assignment, at.requestGraceMs), at.newId);
  const runRequestId = job.kind === 'regular' ? '' : job.runRequestId;
  const device = { deviceNo, deviceCreatedUs, revision };
  const facts = { ...device, startUs, blockMs, attempt, retryId: after.retryId, runRequestId };
  if (schedule.oneOff) schedule.gone = isOneOffDone(schedule, job);
  else if (schedule.assignment.revision === revision) setRetrySequence(schedule, after.sequence, at.nowUs);
  schedule.checkedRevision = revision;
  return {
    result: resultOf(facts, measurement),
    context: { assignment, measurement, isFirstError: isFirstError(before, after.sequence) },
  };
}

/** The check behind a result. */
export interface ResultContext {
  readonly assignment: Assignment;
  readonly measurement: Measurement;
  /** Whether this is the first error after a good result. */
  readonly isFirstError: boolean;
}
