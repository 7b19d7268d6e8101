import { isGood } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';
import type { Assignment, CheckResult } from '@vantage/proto';
import {
  type DeviceSchedule,
  isOneOffDone,
  type Job,
  retryRulesOf,
  setRetrySequence,
} from './device-schedule.ts';
import { type ResultContext, resultOf } from './record.ts';
import { afterAnswer, isFirstError } from './retry-sequence.ts';
import { asStalled } from './stalls.ts';

/** So many measurements of a device in a row may be discarded because the process stood still during the check. */
const maxDiscarded = 3;

/** A check that started, with the settings and the job of that moment. Corrected microseconds. */
export interface StartedCheck {
  readonly schedule: DeviceSchedule;
  readonly assignment: Assignment;
  readonly job: Job;
  readonly startUs: number;
  /** How late it started after its due time. */
  readonly blockMs: number;
}

/**
 * The measurement to confirm, or undefined where it is discarded: after it stood still during a check, a process knows
 * neither the device's state nor its times. After three in a row, a failure becomes the agent's own fault.
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

/** Applies a confirmed measurement to the device's schedule; returns the result to write. */
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
