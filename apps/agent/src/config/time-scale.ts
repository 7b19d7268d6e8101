import { clone } from '@bufbuild/protobuf';
import { type Assignment, AssignmentSchema } from '@vantage/proto';

/** How assignments are run when tests compress time: intervals and retry delays pass `scale` times faster, timeouts stay. */
export function scaledFor(scale: number): (assignment: Assignment) => Assignment {
  if (scale === 1) return (assignment) => assignment;
  return (assignment) => {
    const scaled = clone(AssignmentSchema, assignment);
    scaled.intervalMs = Math.max(1, Math.floor(assignment.intervalMs / scale));
    scaled.scheduleOffsetMs = Math.min(
      scaled.intervalMs - 1,
      Math.floor(assignment.scheduleOffsetMs / scale),
    );
    scaled.retryDelayMs = Math.floor(assignment.retryDelayMs / scale);
    return scaled;
  };
}
