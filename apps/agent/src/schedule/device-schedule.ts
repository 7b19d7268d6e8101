import { freshDeviceUs } from '@vantage/domain';
import type { Assignment } from '@vantage/proto';
import { afterGapUs, dueTimesBetween, isSameRotation } from './due-times.ts';
import { firstDueUs, isOwnDue, nextOwnDueUs } from './own-due-times.ts';
import { type DeviceRetrySequence, noRetrySequence, type RetryRules } from './retry-sequence.ts';

/** The schedule of one device. The functions of this file change it; they read no clock. */
export interface DeviceSchedule {
  assignment: Assignment;
  /** The next regular check, corrected microseconds. */
  dueUs: number;
  retrySequence: DeviceRetrySequence;
  /** Requested checks other than regular checks and retries, earliest first. */
  requested: { readonly runRequestId: string; readonly atUs: number }[];
  /** A requested check went before a regular check that was due. */
  passedOver: boolean;
  /** A check of the device is running, so no other one starts. */
  busy: boolean;
  /** The assignment was removed while a check was running. */
  gone: boolean;
  /** Start of its newest check. The next one starts later. */
  lastStartUs: number;
  /** End of its newest check. Lateness is counted from then at the earliest. */
  freeUs: number;
  /** Revision of its newest check. */
  checkedRevision: number | undefined;
  /** Consecutive checks that were discarded because the process stood still. */
  discarded: number;
  /** The device is assigned to another agent. This agent checks it by run request only and then drops it. */
  oneOff: boolean;
}

/** The schedule of a device without checks in this run. `retrySequence`: left open by an earlier run. */
export function createDeviceSchedule(
  assignment: Assignment,
  nowUs: number,
  retrySequence: DeviceRetrySequence = noRetrySequence,
): DeviceSchedule {
  return {
    assignment,
    dueUs: firstDueUs(assignment, nowUs, 0),
    retrySequence,
    requested: [],
    passedOver: false,
    busy: false,
    gone: false,
    lastStartUs: 0,
    freeUs: 0,
    checkedRevision: undefined,
    discarded: 0,
    oneOff: false,
  };
}

/**
 * Skips the regular checks that fell due before `nowUs` in a gap. Returns their count and the first due time;
 * undefined: none fell due.
 */
export function skipOverdue(
  schedule: DeviceSchedule,
  nowUs: number,
): { readonly skipped: number; readonly fromUs: number } | undefined {
  const { assignment, dueUs } = schedule;
  if (dueUs > nowUs) return undefined;
  const nextUs = afterGapUs(assignment, dueUs, nowUs);
  schedule.dueUs = isOwnDue(assignment, nextUs) ? nextUs : nextOwnDueUs(assignment, nextUs);
  return { skipped: 1 + dueTimesBetween(assignment, dueUs, nowUs), fromUs: dueUs };
}

/** Moves the next regular check forward to within a minute. */
export function bringForward(schedule: DeviceSchedule, nowUs: number): void {
  const soonUs = afterGapUs(schedule.assignment, nowUs, nowUs);
  if (!schedule.oneOff && isOwnDue(schedule.assignment, soonUs))
    schedule.dueUs = Math.min(schedule.dueUs, soonUs);
}

/** Requests a check in addition to the regular ones: once for each run request, and once without a run request. */
export function requestCheck(schedule: DeviceSchedule, runRequestId: string, atUs: number): void {
  if (schedule.requested.some((request) => request.runRequestId === runRequestId)) return;
  schedule.requested.push({ runRequestId, atUs });
  schedule.requested.sort((a, b) => a.atUs - b.atUs);
}

/** Requests an immediate check of a device that has just changed, if this agent is to run the first check. */
export function requestImmediateCheck(schedule: DeviceSchedule, nowUs: number): void {
  const { runImmediately, changedUs, revision, fromUs } = schedule.assignment;
  // The agent that hands a device over has already run the first check after an earlier change.
  const isDueNow =
    runImmediately &&
    schedule.checkedRevision !== revision &&
    changedUs >= fromUs &&
    nowUs - Number(changedUs) < freshDeviceUs;
  if (isDueNow) requestCheck(schedule, '', nowUs);
}

/**
 * Applies other settings to a device. A new revision of its target, or another device with its number, ends the retry
 * sequence. A check that is due and waits stays due.
 */
export function reassign(schedule: DeviceSchedule, assignment: Assignment, nowUs: number): void {
  const { dueUs } = schedule;
  const isOverdue =
    dueUs <= nowUs && isOwnDue(assignment, dueUs) && isSameRotation(schedule.assignment, assignment);
  setAssignment(schedule, assignment);
  schedule.oneOff = false;
  if (!isOverdue) schedule.dueUs = firstDueUs(assignment, nowUs, schedule.lastStartUs);
}

export function setAssignment(schedule: DeviceSchedule, assignment: Assignment): void {
  const { revision, deviceCreatedUs } = schedule.assignment;
  const isOther = deviceCreatedUs !== 0n && deviceCreatedUs !== assignment.deviceCreatedUs;
  if (isOther || revision !== assignment.revision) schedule.retrySequence = noRetrySequence;
  schedule.gone = false;
  schedule.assignment = assignment;
}

/** Sets the retry sequence. Regular checks that fell due while it was open are not repeated. */
export function setRetrySequence(
  schedule: DeviceSchedule,
  retrySequence: DeviceRetrySequence,
  nowUs: number,
): void {
  const ends = schedule.retrySequence.state.kind === 'open' && retrySequence.state.kind !== 'open';
  schedule.retrySequence = retrySequence;
  if (ends && schedule.dueUs <= nowUs) schedule.dueUs = nextOwnDueUs(schedule.assignment, nowUs);
}

/** Follows a clock that was set by `byUs` to `nowUs`. */
export function moveClock(schedule: DeviceSchedule, byUs: number, nowUs: number): void {
  const { state } = schedule.retrySequence;
  if (state.kind === 'open') {
    schedule.retrySequence = { ...schedule.retrySequence, state: { ...state, dueUs: state.dueUs + byUs } };
  }
  // After a step back, a requested check would wait for the wrong time. After a step forward, one that was due already
  // would seem late by the step.
  const wasUs = nowUs - byUs;
  schedule.requested = schedule.requested.map(({ runRequestId, atUs }) => ({
    runRequestId,
    atUs: byUs < 0 || atUs <= wasUs ? atUs + byUs : atUs,
  }));
  if (!schedule.oneOff) schedule.dueUs = nextOwnDueUs(schedule.assignment, nowUs);
  schedule.freeUs += byUs;
}

/** A start that is unique and increasing for the device. It follows a clock that was set back by more than a minute. */
export function startOf(schedule: DeviceSchedule, nowUs: number): number {
  const backUs = schedule.lastStartUs - nowUs;
  return backUs >= 0 && backUs < freshDeviceUs ? schedule.lastStartUs + 1 : nowUs;
}

/** The retry rules of an assignment. The agent waits `graceMs` after RetryDelay for the controller's run request. */
export function retryRulesOf(assignment: Assignment, graceMs: number): RetryRules {
  return {
    retries: assignment.retries,
    retryDelayMs: assignment.retryDelayMs,
    timeoutMs: assignment.spec?.timeoutMs ?? 0,
    retriesLocally: assignment.retriesLocally,
    graceMs,
  };
}
