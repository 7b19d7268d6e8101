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
import { dueTimesBetween, isOwnDue, lastDueUs, rotationFault } from './due-times.ts';
import type { RetrySequence } from './retry-sequence.ts';

/**
 * The devices of this agent and the order in which they are due. The functions of this file are its only transitions;
 * they read no clock and do no I/O. A device stands in the queue exactly while it is assigned and no check of it runs.
 */
export interface ScheduleState {
  readonly schedules: Map<number, DeviceSchedule>;
  readonly dueQueue: DueQueue<DeviceSchedule>;
  /** Devices that are checked before all that are due, each with a function to call when its check starts. */
  readonly urgent: Map<DeviceSchedule, () => void>;
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

const trackedUrgent = declareState({
  name: 'urgent_devices',
  entries: { each: 'device' },
  entryBytes: 100,
  filledBy: 'errors while no controller answers',
  atBound: 'three devices a round are asked for',
});

/** Creates a state without devices. */
export function createScheduleState(): ScheduleState {
  return { schedules: tracked(new Map()), dueQueue: createDueQueue(), urgent: trackedUrgent(new Map()) };
}

/** Puts a device where it belongs in the queue. */
export function enqueue({ dueQueue }: ScheduleState, schedule: DeviceSchedule): void {
  if (!schedule.busy && !schedule.gone) dueQueue.set(schedule, nextJob(schedule).atUs);
}

/**
 * Requests a check of the device before all that are due. `onStart` is called when it starts; at once where a check of
 * the device runs already.
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

/** The urgent check that is next; undefined: there is none. Changes nothing. */
export function nextUrgent(
  { urgent }: ScheduleState,
  nowUs: number,
): Extract<NextStep, { kind: 'due' }> | undefined {
  for (const schedule of urgent.keys()) return { kind: 'due', schedule, job: nextJob(schedule, nowUs) };
  return undefined;
}

/** Decides what is next at `nowUs`; changes nothing. */
export function nextStep({ dueQueue }: ScheduleState, nowUs: number): NextStep {
  const first = dueQueue.first();
  if (first === undefined) return { kind: 'none' };
  if (first.atUs > nowUs) return { kind: 'wait', waitUs: first.atUs - nowUs };
  return { kind: 'due', schedule: first.key, job: nextJob(first.key, nowUs) };
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
  state.urgent.delete(schedule);
  if (!schedule.busy) state.schedules.delete(deviceNo);
}

/** Marks that a check of the device starts at `startUs`: nothing else of it starts before `endCheck`. */
export function markBusy(state: ScheduleState, schedule: DeviceSchedule, startUs: number): void {
  state.dueQueue.delete(schedule);
  schedule.busy = true;
  schedule.lastStartUs = startUs;
  const onStart = state.urgent.get(schedule);
  state.urgent.delete(schedule);
  onStart?.();
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

/** A binary heap by time. Each key is in it at most once; keys of equal time keep the order in which they came. */
interface DueQueue<K> {
  /** Puts the key at `atUs`, or moves it there. */
  set(key: K, atUs: number): void;
  delete(key: K): void;
  /** The earliest, left where it is. */
  first(): { readonly key: K; readonly atUs: number } | undefined;
  readonly size: number;
}

interface Entry<K> {
  readonly key: K;
  readonly atUs: number;
  readonly order: number;
}

const trackedQueue = declareState({
  name: 'due_devices',
  entries: { each: 'device' },
  entryBytes: 700,
  filledBy: 'the controller',
  atBound: 'the limit of devices of an account',
});

/** Creates an empty queue. */
export function createDueQueue<K>(): DueQueue<K> {
  const heap: Entry<K>[] = [];
  const current = trackedQueue(new Map<K, Entry<K>>());
  let order = 0;
  const swap = (i: number, j: number) => {
    const a = heap[i];
    const b = heap[j];
    if (a === undefined || b === undefined) return;
    heap[i] = b;
    heap[j] = a;
  };
  const isBefore = (i: number, j: number) => {
    const a = heap[i];
    const b = heap[j];
    if (a === undefined || b === undefined) return false;
    return a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);
  };
  const rise = (start: number) => {
    for (let i = start; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!isBefore(i, parent)) return;
      swap(i, parent);
      i = parent;
    }
  };
  const sink = (start: number) => {
    for (let i = start; ; ) {
      const left = 2 * i + 1;
      const right = left + 1;
      let least = i;
      if (isBefore(left, least)) least = left;
      if (isBefore(right, least)) least = right;
      if (least === i) return;
      swap(i, least);
      i = least;
    }
  };
  const dropFirst = () => {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    sink(0);
  };
  const isStale = (entry: Entry<K>) => current.get(entry.key) !== entry;
  const compact = () => {
    if (heap.length < 64 || heap.length < 4 * current.size) return;
    heap.length = 0;
    for (const entry of [...current.values()].sort((a, b) => a.atUs - b.atUs || a.order - b.order))
      heap.push(entry);
  };
  return {
    set(key, atUs) {
      const entry = { key, atUs, order: order++ };
      current.set(key, entry);
      heap.push(entry);
      rise(heap.length - 1);
      compact();
    },
    delete: (key) => void current.delete(key),
    first() {
      for (let top = heap[0]; top !== undefined; top = heap[0]) {
        if (!isStale(top)) return top;
        dropFirst();
      }
      return undefined;
    },
    get size() {
      return current.size;
    },
  };
}
