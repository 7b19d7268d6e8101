import { minuteUs } from '@vantage/domain';
import type { Assignment } from '@vantage/proto';

/**
 * When an assignment is due: every t with t mod interval = schedule offset and floor(t / interval) mod rotation_size =
 * rotation_index.
 */
export interface Rotation {
  /** At least 1. */
  readonly intervalMs: number;
  /** 0 <= scheduleOffsetMs < intervalMs. */
  readonly scheduleOffsetMs: number;
  /** 0 <= rotationIndex < rotationSize. */
  readonly rotationIndex: number;
  /** At least 1. */
  readonly rotationSize: number;
}

/** Why a rotation is invalid, or undefined. */
export function rotationFault({
  intervalMs,
  scheduleOffsetMs,
  rotationIndex,
  rotationSize,
}: Rotation): string | undefined {
  if (intervalMs < 1) return 'interval_ms is 0';
  if (scheduleOffsetMs >= intervalMs) return 'schedule_offset_ms is not below interval_ms';
  if (rotationSize < 1) return 'rotation_size is 0';
  if (rotationIndex >= rotationSize) return 'rotation_index is not below rotation_size';
  return undefined;
}

/** Whether both have the same due times. */
export function isSameRotation(a: Rotation, b: Rotation): boolean {
  return (
    a.intervalMs === b.intervalMs &&
    a.scheduleOffsetMs === b.scheduleOffsetMs &&
    a.rotationIndex === b.rotationIndex &&
    a.rotationSize === b.rotationSize
  );
}

/** The first due time after `afterUs`, microseconds. */
export function nextDueUs(rotation: Rotation, afterUs: number): number {
  const last = lastDueUs(rotation, afterUs);
  return last + periodUs(rotation);
}

/** The last due time at or before `atUs`, microseconds. */
export function lastDueUs(rotation: Rotation, atUs: number): number {
  const period = periodUs(rotation);
  const shift = (rotation.rotationIndex * rotation.intervalMs + rotation.scheduleOffsetMs) * 1000;
  return Math.floor((atUs - shift) / period) * period + shift;
}

/** How many due times lie in (fromUs, toUs]. */
export function dueTimesBetween(rotation: Rotation, fromUs: number, toUs: number): number {
  const periods = Math.round((lastDueUs(rotation, toUs) - lastDueUs(rotation, fromUs)) / periodUs(rotation));
  return Math.max(0, periods);
}

/** The checks missed in a gap are made within this time, milliseconds. */
const catchUpMs = 60_000;

/**
 * The time of the next check after a gap (a suspended host, a step of the clock) that ended at `nowUs`: the next due
 * time. Where that is far off and a due time fell into the gap, it is within a minute, spread by the schedule offset so
 * that there is no burst.
 */
export function afterGapUs(rotation: Rotation, dueUs: number, nowUs: number): number {
  const next = nextDueUs(rotation, nowUs);
  if (dueUs > nowUs || next <= nowUs + catchUpMs * 1000) return next;
  return nowUs + (rotation.scheduleOffsetMs % catchUpMs) * 1000;
}

function periodUs(rotation: Rotation): number {
  return rotation.intervalMs * rotation.rotationSize * 1000;
}

/** The window of a hand-over: another agent has the device in [untilUs, fromUs). */
type Window = Pick<Assignment, 'fromUs' | 'untilUs'>;

/** A `fromUs` that never comes; see the message Assignment. */
const neverUs = Number.MAX_SAFE_INTEGER;
/**
 * Due times that passed between a hand-over and the arrival of its assignment are made up for within this time,
 * microseconds.
 */
const makeUpUs = minuteUs;

/** Whether a due time is this agent's own. */
export function isOwnDue({ fromUs, untilUs }: Window, dueUs: number): boolean {
  return dueUs >= Number(fromUs) || dueUs < Number(untilUs);
}

/** The first due time after `afterUs` that is this agent's own, microseconds; infinity: there is none. */
export function nextOwnDueUs(assignment: Assignment, afterUs: number): number {
  const dueUs = nextDueUs(assignment, afterUs);
  if (isOwnDue(assignment, dueUs)) return dueUs;
  const fromUs = Number(assignment.fromUs);
  return fromUs >= neverUs ? Number.POSITIVE_INFINITY : nextDueUs(assignment, fromUs - 1);
}

/**
 * The first due time of an assignment that arrived now. The agent before had the device until `fromUs`, so a due time
 * since then is this agent's, unless a check of its own began after it.
 */
export function firstDueUs(assignment: Assignment, nowUs: number, lastStartUs: number): number {
  const fromUs = Number(assignment.fromUs);
  const isJustHandedOver = fromUs > 0 && fromUs <= nowUs && nowUs - fromUs < makeUpUs;
  return nextOwnDueUs(assignment, isJustHandedOver ? Math.max(fromUs - 1, lastStartUs) : nowUs);
}
