import { type Assignment, type RunRequest, RunRequest_Kind } from '@vantage/proto';
import type { CheckJob } from './check-job.ts';
import {
  createDeviceSchedule,
  type DeviceSchedule,
  requestCheck,
  retryRulesOf,
  setAssignment,
  setRetrySequence,
} from './device-schedule.ts';
import { rotationFault } from './due-times.ts';
import { afterDelegation, afterRetryRequest } from './retry-sequence.ts';

/** The schedule of a device that this agent checks by run request only, with the settings of the newest request. */
export function asOneOff(
  known: DeviceSchedule | undefined,
  assignment: Assignment,
  nowUs: number,
): DeviceSchedule {
  const schedule = known ?? createDeviceSchedule(assignment, nowUs);
  setAssignment(schedule, assignment);
  schedule.oneOff = true;
  schedule.dueUs = Number.POSITIVE_INFINITY;
  return schedule;
}

/** Whether a one-off device can be dropped after this job: no other run request has come. */
export function isOneOffDone(schedule: DeviceSchedule, job: CheckJob): boolean {
  const { state } = schedule.retrySequence;
  const isRequested =
    state.kind === 'open' && !(job.kind === 'retry' && job.runRequestId === state.runRequestId);
  return schedule.oneOff && !isRequested && schedule.requested.length === 0;
}

/*
 * The controller reads the assignments and the run requests of an agent one after the other, and long lists of
 * assignments only every few seconds. A run request may therefore come before the settings that it was made for.
 *
 *   schedule of the device  | request with settings | check now without settings  | retry without settings
 *   none, or removed        | one-off               | waits for the assignment    | ignored: another agent has the device
 *   one-off                 | one-off               | applied                     | applied
 *   assigned, older revision| waits                 | waits                       | waits
 *   assigned                | applied               | applied                     | applied
 *
 * A delegation runs no check, so it does not wait.
 */
/** Decides about a run request by the table above. Pure. */
export function runRequestStep(
  schedule: Pick<DeviceSchedule, 'assignment' | 'gone' | 'oneOff'> | undefined,
  { kind, revision, assignment }: RunRequest,
): 'apply' | 'one-off' | 'wait' | 'ignore' {
  const isUsable = assignment?.spec !== undefined && rotationFault(assignment) === undefined;
  const runsCheck = kind === RunRequest_Kind.NOW || kind === RunRequest_Kind.RETRY;
  if (schedule === undefined || schedule.gone) {
    if (isUsable && runsCheck) return 'one-off';
    return kind === RunRequest_Kind.NOW && assignment === undefined ? 'wait' : 'ignore';
  }
  if (schedule.oneOff) return isUsable && runsCheck ? 'one-off' : 'apply';
  return runsCheck && schedule.assignment.revision < revision ? 'wait' : 'apply';
}

/** Applies a run request to a device. `graceMs`: see `retryRulesOf`. */
export function applyRunRequest(
  schedule: DeviceSchedule,
  request: RunRequest,
  nowUs: number,
  graceMs: number,
): void {
  const atUs = Math.max(Number(request.notBeforeUs), nowUs);
  switch (request.kind) {
    case RunRequest_Kind.NOW:
      requestCheck(schedule, request.runRequestId, atUs);
      return;
    case RunRequest_Kind.RETRY:
      setRetrySequence(
        schedule,
        afterRetryRequest(schedule.retrySequence, { ...request, atUs }) ?? schedule.retrySequence,
        nowUs,
      );
      return;
    case RunRequest_Kind.RETRY_DELEGATED:
      if (!schedule.oneOff)
        setRetrySequence(
          schedule,
          afterDelegation(schedule.retrySequence, nowUs, retryRulesOf(schedule.assignment, graceMs)),
          nowUs,
        );
      return;
    case RunRequest_Kind.UNSPECIFIED:
      return;
  }
}
