/**
 * The due times of an assignment: every t with t mod interval = schedule offset and floor(t / interval) mod
 * rotation_size = rotation_index.
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

/** The reason why a rotation is invalid, or undefined. */
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

/** The number of due times in (fromUs, toUs]. */
export function dueTimesBetween(rotation: Rotation, fromUs: number, toUs: number): number {
  const periods = Math.round((lastDueUs(rotation, toUs) - lastDueUs(rotation, fromUs)) / periodUs(rotation));
  return Math.max(0, periods);
}

/** The checks that a gap missed are run within this time, milliseconds. */
const catchUpMs = 60_000;

/**
 * The time of the next check after a gap (a suspended host, a clock step) that ended at `nowUs`. It is the next due
 * time. If that is far off and a due time fell into the gap, it is within a minute, spread by the schedule offset to
 * avoid a burst.
 */
export function afterGapUs(rotation: Rotation, dueUs: number, nowUs: number): number {
  const next = nextDueUs(rotation, nowUs);
  if (dueUs > nowUs || next <= nowUs + catchUpMs * 1000) return next;
  return nowUs + (rotation.scheduleOffsetMs % catchUpMs) * 1000;
}

function periodUs(rotation: Rotation): number {
  return rotation.intervalMs * rotation.rotationSize * 1000;
}
