import { clone } from '@bufbuild/protobuf';
import { type Assignment, AssignmentSchema } from '@vantage/proto';

/** The times of the agent that tests can compress. */
export interface Timing {
  /** An assignment as this agent runs it. Intervals and retry delays are scaled, timeouts are not. */
  readonly scaled: (assignment: Assignment) => Assignment;
  /** Time after RetryDelay that the agent waits for the controller's run request for a retry. */
  readonly requestGraceMs: number;
  /** The interval between reports of coverage. */
  readonly coverageMs: number;
  /** The interval between checks of the anchors. */
  readonly anchorsMs: number;
}

const requestGraceMs = 5000;
const coverageMs = 10_000;

/** More often than any device, whose minimum interval is a minute. */
const anchorsMs = 10_000;

/** The times under a scale: 1 outside tests, at most 1000. */
export function timingOf(scale: number): Timing {
  return {
    scaled: scale === 1 ? (assignment) => assignment : (assignment) => scaledBy(assignment, scale),
    requestGraceMs: requestGraceMs / scale,
    coverageMs: coverageMs / scale,
    anchorsMs: anchorsMs / scale,
  };
}

function scaledBy(assignment: Assignment, scale: number): Assignment {
  const scaled = clone(AssignmentSchema, assignment);
  scaled.intervalMs = Math.max(1, Math.floor(assignment.intervalMs / scale));
  scaled.scheduleOffsetMs = Math.min(scaled.intervalMs - 1, Math.floor(assignment.scheduleOffsetMs / scale));
  scaled.retryDelayMs = Math.floor(assignment.retryDelayMs / scale);
  return scaled;
}
