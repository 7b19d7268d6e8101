import { equals } from '@bufbuild/protobuf';
import { declareState } from '@vantage/kernel';
import { type Assignment, AssignmentSchema } from '@vantage/proto';
import { type CheckJob, nextJob } from './check-job.ts';
import {
  createDeviceSchedule,
  type DeviceSchedule,
  reassign,
  requestCheck,
  requestImmediateCheck,
} from './device-schedule.ts';
import { createDueQueue, type DueQueue } from './due-queue.ts';
import { dueTimesBetween, lastDueUs, rotationFault } from './due-times.ts';
import { isOwnDue } from './own-due-times.ts';
import type { DeviceRetrySequence } from './retry-sequence.ts';

/**
 * The devices of this agent in the order in which they are due. The functions of this file are its only transitions.
 * They read no clock and do no I/O. A device is in the queue exactly while it is assigned and no check of it runs.
 */
export interface ScheduleState {
  readonly schedules: Map<number, DeviceSchedule>;
  readonly dueQueue: DueQueue<DeviceSchedule>;
  /** Devices that are checked before all due devices, each with a function to call when its check starts. */
  readonly urgent: Map<DeviceSchedule, () => void>;
}

/** The next step. `waitUs` is in microseconds. */
export type NextStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly waitUs: number }
  | { readonly kind: 'due'; readonly schedule: DeviceSchedule; readonly job: CheckJob };

const tracked = declareState({
  name: 'device_schedules',
  entries: { each: 'device' },
  entryBytes: 2_000,
  filledBy: 'the controller',
  atBound: 'the limit of devices of an account',
});

const trackedUrgent = declareState({
  name: 'urgent_devices',
  entries: { each: 'device' },
  entryBytes: 100,
  filledBy: 'errors while no controller answers',
  atBound: 'three devices are requested in a round',
});

export function createScheduleState(): ScheduleState {
  return { schedules: tracked(new Map()), dueQueue: createDueQueue(), urgent: trackedUrgent(new Map()) };
}

/** Puts a device into the queue, or moves it. */
export function enqueue({ dueQueue }: ScheduleState, schedule: DeviceSchedule): void {
  if (!schedule.busy && !schedule.gone) dueQueue.set(schedule, nextJob(schedule).atUs);
}

/**
 * Requests a check of the device before all due checks. `onStart` is called when it starts; at once if a check of the
 * device is running.
 */
export function requestUrgent(
  state: ScheduleState,
  schedule: DeviceSchedule,
  nowUs: number,
  onStart: () => void,
): void {
  requestCheck(schedule, '', nowUs);
  if (schedule.busy) onStart();
  else state.urgent.set(schedule, onStart);
  enqueue(state, schedule);
}

/** The next urgent check; undefined: there is none. Changes nothing. */
export function nextUrgent(
  { urgent }: ScheduleState,
  nowUs: number,
): Extract<NextStep, { kind: 'due' }> | undefined {
  for (const schedule of urgent.keys()) return { kind: 'due', schedule, job: nextJob(schedule, nowUs) };
  return undefined;
}

/** Decides the next step at `nowUs`; changes nothing. */
export function nextStep({ dueQueue }: ScheduleState, nowUs: number): NextStep {
  const first = dueQueue.first();
  if (first === undefined) return { kind: 'none' };
  if (first.atUs > nowUs) return { kind: 'wait', waitUs: first.atUs - nowUs };
  return { kind: 'due', schedule: first.key, job: nextJob(first.key, nowUs) };
}

/**
 * Adds a device or applies other settings to it. Calls `sequenceOf` only for a new device. Returns the reason why the
 * assignment is invalid, or undefined.
 */
export function putAssignment(
  state: ScheduleState,
  assignment: Assignment,
  nowUs: number,
  sequenceOf: (deviceNo: number) => DeviceRetrySequence,
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

/** Removes a device. A running check of it still ends with its result. */
export function removeDevice(state: ScheduleState, deviceNo: number): void {
  const schedule = state.schedules.get(deviceNo);
  if (schedule === undefined) return;
  schedule.gone = true;
  state.dueQueue.delete(schedule);
  state.urgent.delete(schedule);
  if (!schedule.busy) state.schedules.delete(deviceNo);
}

/** A check of the device starts at `startUs`. No other check of it starts before `endCheck`. */
export function beginCheck(state: ScheduleState, schedule: DeviceSchedule, startUs: number): void {
  state.dueQueue.delete(schedule);
  schedule.busy = true;
  schedule.lastStartUs = startUs;
  const onStart = state.urgent.get(schedule);
  state.urgent.delete(schedule);
  onStart?.();
}

/**
 * The device is free again. Of the due times that passed during its check, the agent makes up for the last one now.
 * Returns the number of the others, which are skipped.
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

/** Requests a check again whose measurement was discarded. Its retry sequence repeats a discarded retry. */
export function repeatCheck(schedule: DeviceSchedule, job: CheckJob, nowUs: number): void {
  if (job.kind !== 'retry') requestCheck(schedule, job.kind === 'requested' ? job.runRequestId : '', nowUs);
}

/** Changes every device and moves it in the queue. */
export function moveAll(state: ScheduleState, move: (schedule: DeviceSchedule) => void): void {
  for (const schedule of state.schedules.values()) {
    move(schedule);
    enqueue(state, schedule);
  }
}
