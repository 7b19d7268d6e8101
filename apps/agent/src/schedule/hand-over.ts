import { minuteUs } from '@vantage/domain';
import type { Assignment } from '@vantage/proto';
import { nextDueUs } from './due-times.ts';

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
