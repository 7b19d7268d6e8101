import { freshDeviceUs } from '@vantage/domain';
import { type Assignment, type RunRequest, RunRequest_Kind } from '@vantage/proto';
import {
  afterGapUs,
  dueTimesBetween,
  firstDueUs,
  isOwnDue,
  isSameRotation,
  nextOwnDueUs,
  rotationFault,
} from './due-times.ts';
import {
  afterDelegation,
  afterRetryBegan,
  afterRetryRequest,
  noRetrySequence,
  type RetryRules,
  type RetrySequence,
} from './retry-sequence.ts';

/** The schedule of one device. The functions of this file change it; they read no clock. */
export interface DeviceSchedule {
  assignment: Assignment;
  /** Next regular check, corrected microseconds. */
  dueUs: number;
  retrySequence: RetrySequence;
  /** Checks requested beside regular checks and retries, earliest first. */
  requested: { readonly runRequestId: string; readonly atUs: number }[];
  /** A requested check went before a regular one that was due. */
  passedOver: boolean;
  /** A check of it is running: nothing else of it starts. */
  busy: boolean;
  /** The assignment was removed while a check was running. */
  gone: boolean;
  /** Start of its newest check; the next one starts later. */
  lastStartUs: number;
  /** When its newest check ended; lateness is counted from there at the earliest. */
  freeUs: number;
  /** Revision of its newest check. */
  checkedRevision: number | undefined;
  /** So many of its checks in a row were discarded because the process stood still. */
  discarded: number;
  /** The device is assigned to another agent: this one checks it by run request only and then drops it. */
  oneOff: boolean;
}

/** The next check of a device. */
export type Job =
  | { readonly kind: 'regular'; readonly atUs: number }
  | {
      readonly kind: 'retry';
      readonly atUs: number;
      readonly attempt: number;
      readonly retryId: string;
      readonly runRequestId: string;
    }
  | { readonly kind: 'requested'; readonly atUs: number; readonly runRequestId: string };

/** The schedule of a device without checks in this run; `retrySequence` is the one that an earlier run left open. */
export function createDeviceSchedule(
  assignment: Assignment,
  nowUs: number,
  retrySequence: RetrySequence = noRetrySequence,
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
 * Skips the regular checks that fell due before `nowUs` in a gap; returns their count and the first due time, or
 * undefined.
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

/** The schedule of a device that is checked by run request only, with the settings of its newest run request. */
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

/** Whether a one-off device can be dropped after this job: no other run request came meanwhile. */
export function isOneOffDone(schedule: DeviceSchedule, job: Job): boolean {
  const { state } = schedule.retrySequence;
  const isRequested =
    state.kind === 'open' && !(job.kind === 'retry' && job.runRequestId === state.runRequestId);
  return schedule.oneOff && !isRequested && schedule.requested.length === 0;
}

/**
 * The earliest job; while a retry sequence is open there are no regular checks. One requested check that is due at
 * `nowUs` goes before a regular one, because somebody waits for it: of a device whose checks last longer than its
 * period a regular one is always due.
 */
export function nextJob(schedule: DeviceSchedule, nowUs = 0): Job {
  const { state } = schedule.retrySequence;
  const regular: Job =
    state.kind === 'open'
      ? {
          kind: 'retry',
          atUs: state.dueUs,
          attempt: state.attempt,
          retryId: state.retryId,
          runRequestId: state.runRequestId,
        }
      : { kind: 'regular', atUs: schedule.dueUs };
  const requested = schedule.requested[0];
  const isFirst = regular.kind === 'regular' && !schedule.passedOver;
  const untilUs = isFirst ? Math.max(regular.atUs, nowUs) : regular.atUs;
  return requested !== undefined && requested.atUs <= untilUs ? { kind: 'requested', ...requested } : regular;
}

/** Brings the next regular check forward, to within a minute. */
export function bringForward(schedule: DeviceSchedule, nowUs: number): void {
  const soonUs = afterGapUs(schedule.assignment, nowUs, nowUs);
  if (!schedule.oneOff && isOwnDue(schedule.assignment, soonUs))
    schedule.dueUs = Math.min(schedule.dueUs, soonUs);
}

/** Begins a job at `startUs`; returns how late it is, microseconds, and how many due times it passes over. */
export function beginJob(
  schedule: DeviceSchedule,
  job: Job,
  startUs: number,
): { readonly lateUs: number; readonly passed: number } {
  const lateUs = startUs - Math.max(job.atUs, schedule.freeUs);
  switch (job.kind) {
    case 'regular':
      schedule.passedOver = false;
      schedule.dueUs = nextOwnDueUs(schedule.assignment, Math.max(startUs, job.atUs));
      return { lateUs, passed: dueTimesBetween(schedule.assignment, job.atUs, startUs) };
    case 'retry':
      schedule.retrySequence = afterRetryBegan(schedule.retrySequence, job.retryId, job.attempt);
      return { lateUs, passed: 0 };
    case 'requested':
      if (schedule.dueUs < job.atUs) schedule.passedOver = true;
      schedule.requested.shift();
      return { lateUs, passed: 0 };
  }
}

/** Requests a check beside the regular ones, once for each run request and once without one. */
export function requestCheck(schedule: DeviceSchedule, runRequestId: string, atUs: number): void {
  if (schedule.requested.some((each) => each.runRequestId === runRequestId)) return;
  schedule.requested.push({ runRequestId, atUs });
  schedule.requested.sort((a, b) => a.atUs - b.atUs);
}

/*
 * The controller reads an agent's assignments and its run requests one after the other, and long lists of assignments
 * only every few seconds: a run request may come before the settings that it was made for.
 *
 *   schedule of the device  | request with settings | check now without           | retry without
 *   none, or gone           | one-off               | waits for the assignment    | ignored: another agent has the device
 *   one-off                 | one-off               | applied                     | applied
 *   assigned, older revision| waits                 | waits                       | waits
 *   assigned                | applied               | applied                     | applied
 *
 * A delegation runs nothing, so it does not wait.
 */
/** The decision on a run request of a device, by the table above. Pure. */
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

/** Requests an immediate check of a device that changed just now, where this agent is to run the first check. */
export function requestImmediateCheck(schedule: DeviceSchedule, nowUs: number): void {
  const { runImmediately, changedUs, revision, fromUs } = schedule.assignment;
  // The agent that hands the device over ran the first check after a change before the hand-over.
  const isWanted =
    runImmediately &&
    schedule.checkedRevision !== revision &&
    changedUs >= fromUs &&
    nowUs - Number(changedUs) < freshDeviceUs;
  if (isWanted) requestCheck(schedule, '', nowUs);
}

/**
 * Gives a device other settings. A new revision of its target, or another device under its number, ends the retry
 * sequence. A check that is due and waits stays due.
 */
export function reassign(schedule: DeviceSchedule, assignment: Assignment, nowUs: number): void {
  const { dueUs } = schedule;
  const isOwed =
    dueUs <= nowUs && isOwnDue(assignment, dueUs) && isSameRotation(schedule.assignment, assignment);
  setAssignment(schedule, assignment);
  schedule.oneOff = false;
  if (!isOwed) schedule.dueUs = firstDueUs(assignment, nowUs, schedule.lastStartUs);
}

function setAssignment(schedule: DeviceSchedule, assignment: Assignment): void {
  const { revision, deviceCreatedUs } = schedule.assignment;
  const isOther = deviceCreatedUs !== 0n && deviceCreatedUs !== assignment.deviceCreatedUs;
  if (isOther || revision !== assignment.revision) schedule.retrySequence = noRetrySequence;
  schedule.gone = false;
  schedule.assignment = assignment;
}

/** Sets the retry sequence. Regular checks that fell due while it was open are not repeated. */
export function setRetrySequence(
  schedule: DeviceSchedule,
  retrySequence: RetrySequence,
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
  // After a step back a requested check would wait for a time that was not meant; after a step forward one that was due
  // already would seem late by the step.
  const wasUs = nowUs - byUs;
  schedule.requested = schedule.requested.map(({ runRequestId, atUs }) => ({
    runRequestId,
    atUs: byUs < 0 || atUs <= wasUs ? atUs + byUs : atUs,
  }));
  if (!schedule.oneOff) schedule.dueUs = nextOwnDueUs(schedule.assignment, nowUs);
  schedule.freeUs += byUs;
}

/**
 * A start that is unique and increasing for the device. A clock that was set back by more than a minute is followed.
 */
export function startOf(schedule: DeviceSchedule, nowUs: number): number {
  const backUs = schedule.lastStartUs - nowUs;
  return backUs >= 0 && backUs < freshDeviceUs ? schedule.lastStartUs + 1 : nowUs;
}

/** The retry rules of an assignment. The agent waits `graceMs` past RetryDelay for the controller's run request. */
export function retryRulesOf(assignment: Assignment, graceMs: number): RetryRules {
  return {
    retries: assignment.retries,
    retryDelayMs: assignment.retryDelayMs,
    timeoutMs: assignment.spec?.timeoutMs ?? 0,
    retriesLocally: assignment.retriesLocally,
    graceMs,
  };
}
