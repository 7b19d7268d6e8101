import { equals } from '@bufbuild/protobuf';
import { declareState } from '@vantage/kernel';
import { type Assignment, AssignmentSchema } from '@vantage/proto';
import {
  createDeviceSchedule,
  type DeviceSchedule,
  type Job,
  nextJob,
  reassign,
  requestCheck,
  requestImmediateCheck,
  skipOverdue,
} from './device-schedule.ts';
import { createDueQueue, type DueQueue } from './due-queue.ts';
import { dueTimesBetween, lastDueUs, rotationFault } from './due-times.ts';
import { isOwnDue } from './hand-over.ts';
import type { RetrySequence } from './retry-sequence.ts';

/**
 * The devices of this agent and the order in which they are due. The functions of this file are its only transitions;
 * they read no clock and do no I/O. A device stands in the queue exactly while it is assigned and no check of it runs.
 */
export interface ScheduleState {
  readonly schedules: Map<number, DeviceSchedule>;
  readonly dueQueue: DueQueue<DeviceSchedule>;
}

/** The next thing to do. `wait` is given in microseconds. */
export type NextStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly waitUs: number }
  | { readonly kind: 'due'; readonly schedule: DeviceSchedule; readonly job: Job };

/** Due times that were left out. */
export interface SkippedChecks {
  readonly count: number;
  /** The first of them, corrected microseconds. */
  readonly fromUs: number;
}

const tracked = declareState({
  name: 'device_schedules',
  entries: { each: 'device' },
  entryBytes: 2_000,
  filledBy: 'the controller',
  atBound: 'the limit of devices of an account',
});

/** Creates a state without devices. */
export function createScheduleState(): ScheduleState {
  return { schedules: tracked(new Map()), dueQueue: createDueQueue() };
}

/** Puts a device where it belongs in the queue. */
export function enqueue({ dueQueue }: ScheduleState, schedule: DeviceSchedule): void {
  if (!schedule.busy && !schedule.gone) dueQueue.set(schedule, nextJob(schedule).atUs);
}

/** Decides what is next at `nowUs`; changes nothing. */
export function nextStep({ dueQueue }: ScheduleState, nowUs: number): NextStep {
  const first = dueQueue.first();
  if (first === undefined) return { kind: 'none' };
  if (first.atUs > nowUs) return { kind: 'wait', waitUs: first.atUs - nowUs };
  return { kind: 'due', schedule: first.key, job: nextJob(first.key) };
}

/**
 * Adds a device or gives it other settings. `sequenceOf` is asked only for a device that is new. Returns why the
 * assignment is refused, or undefined.
 */
export function putAssignment(
  state: ScheduleState,
  assignment: Assignment,
  nowUs: number,
  sequenceOf: (deviceNo: number) => RetrySequence,
): string | undefined {
  const { deviceNo } = assignment;
  const fault = assignment.spec === undefined ? 'no check in it' : rotationFault(assignment);
  if (fault !== undefined) return `device ${deviceNo}: ${fault}`;
  const old = state.schedules.get(deviceNo);
  const isSame = old !== undefined && equals(AssignmentSchema, old.assignment, assignment);
  if (isSame && !old.gone) return undefined;
  const schedule = old ?? createDeviceSchedule(assignment, nowUs, sequenceOf(deviceNo));
  state.schedules.set(deviceNo, schedule);
  if (old !== undefined) reassign(old, assignment, nowUs);
  requestImmediateCheck(schedule, nowUs);
  enqueue(state, schedule);
  return undefined;
}

/** Takes a device away; a check of it that runs still ends with its result. */
export function removeDevice(state: ScheduleState, deviceNo: number): void {
  const schedule = state.schedules.get(deviceNo);
  if (schedule === undefined) return;
  schedule.gone = true;
  state.dueQueue.delete(schedule);
  if (!schedule.busy) state.schedules.delete(deviceNo);
}

/** Marks that a check of the device starts at `startUs`: nothing else of it starts before `endCheck`. */
export function markBusy(state: ScheduleState, schedule: DeviceSchedule, startUs: number): void {
  state.dueQueue.delete(schedule);
  schedule.busy = true;
  schedule.lastStartUs = startUs;
}

/**
 * The device is free again. Of the due times that passed while its check ran, one check is made now; returns the count
 * of the others, which are left out.
 */
export function endCheck(state: ScheduleState, schedule: DeviceSchedule, nowUs: number): number {
  const { assignment, dueUs } = schedule;
  schedule.busy = false;
  schedule.freeUs = nowUs;
  if (schedule.gone) state.schedules.delete(assignment.deviceNo);
  const lastUs = lastDueUs(assignment, nowUs);
  const isMadeUp = dueUs <= nowUs && isOwnDue(assignment, lastUs);
  if (isMadeUp) schedule.dueUs = lastUs;
  enqueue(state, schedule);
  return isMadeUp ? dueTimesBetween(assignment, dueUs, lastUs) : 0;
}

/** Requests again a check whose measurement was discarded. A discarded retry is repeated by its retry sequence. */
export function repeatCheck(schedule: DeviceSchedule, job: Job, nowUs: number): void {
  if (job.kind !== 'retry') requestCheck(schedule, job.kind === 'requested' ? job.runRequestId : '', nowUs);
}

/** Leaves out the regular checks that fell due before `nowUs`; undefined when none did. */
export function skipChecks(schedule: DeviceSchedule, nowUs: number): SkippedChecks | undefined {
  const gap = skipOverdue(schedule, nowUs);
  return gap && { count: gap.skipped, fromUs: gap.fromUs };
}

/** Leaves out what fell due before `nowUs` for every device that has neither a running check nor an open retry. */
export function skipMissed(state: ScheduleState, nowUs: number): readonly SkippedChecks[] {
  const all: SkippedChecks[] = [];
  for (const schedule of state.schedules.values()) {
    if (schedule.busy || schedule.retrySequence.state.kind === 'open') continue;
    const skipped = skipChecks(schedule, nowUs);
    if (skipped !== undefined) all.push(skipped);
    enqueue(state, schedule);
  }
  return all;
}

/** Changes every device and puts it at its new place in the queue. */
export function moveAll(state: ScheduleState, move: (schedule: DeviceSchedule) => void): void {
  for (const schedule of state.schedules.values()) {
    move(schedule);
    enqueue(state, schedule);
  }
}
