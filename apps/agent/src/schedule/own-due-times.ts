import { minuteUs } from '@vantage/domain';
import type { Assignment } from '@vantage/proto';
import { nextDueUs } from './due-times.ts';

/** The window of a hand-over: another agent has the device in [untilUs, fromUs). */
type HandOverWindow = Pick<Assignment, 'fromUs' | 'untilUs'>;

/** A `fromUs` that never comes; see the message Assignment. */
const neverUs = Number.MAX_SAFE_INTEGER;

/** Due times between a hand-over and the arrival of its assignment are made up for within this time, microseconds. */
const makeUpUs = minuteUs;

/** Whether this agent is responsible for a due time. */
export function isOwnDue({ fromUs, untilUs }: HandOverWindow, dueUs: number): boolean {
  return dueUs >= Number(fromUs) || dueUs < Number(untilUs);
}

/** The first due time after `afterUs` that belongs to this agent, microseconds; Infinity: there is none. */
export function nextOwnDueUs(assignment: Assignment, afterUs: number): number {
  const dueUs = nextDueUs(assignment, afterUs);
  if (isOwnDue(assignment, dueUs)) return dueUs;
  const fromUs = Number(assignment.fromUs);
  return fromUs >= neverUs ? Number.POSITIVE_INFINITY : nextDueUs(assignment, fromUs - 1);
}

/**
 * The first due time of an assignment that has just arrived. The previous agent had the device until `fromUs`. A due
 * time since then belongs to this agent, unless one of its own checks began after it.
 */
export function firstDueUs(assignment: Assignment, nowUs: number, lastStartUs: number): number {
  const fromUs = Number(assignment.fromUs);
  const isJustHandedOver = fromUs > 0 && fromUs <= nowUs && nowUs - fromUs < makeUpUs;
  return nextOwnDueUs(assignment, isJustHandedOver ? Math.max(fromUs - 1, lastStartUs) : nowUs);
}
