import { type DeviceSchedule, skipOverdue } from './device-schedule.ts';
import { enqueue, type ScheduleState } from './schedule-state.ts';

/** Due times without a check. */
export interface SkippedChecks {
  readonly count: number;
  /** The first of them, corrected microseconds. */
  readonly fromUs: number;
}

/** Skips the regular checks that fell due before `nowUs`; undefined: none did. */
export function skipChecks(schedule: DeviceSchedule, nowUs: number): SkippedChecks | undefined {
  const gap = skipOverdue(schedule, nowUs);
  return gap && { count: gap.skipped, fromUs: gap.fromUs };
}

/** Skips what fell due before `nowUs` for every device that has neither a running check nor an open retry. */
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
