import type { Assignment, CheckResult } from '@vantage/proto';
import type { AgentTime } from '../clock/agent-time.ts';
import { beginJob, type CheckJob } from './check-job.ts';
import type { ResultContext, StartedCheck } from './check-outcome.ts';
import { resultOf } from './check-result.ts';
import type { Coverage } from './coverage.ts';
import { type DeviceSchedule, startOf } from './device-schedule.ts';
import { type LateChecks, notInTime } from './late-checks.ts';
import type { LatenessMeter } from './lateness-meter.ts';
import { beginCheck } from './schedule-state.ts';
import type { ObservableScheduleTable } from './schedule-table.ts';

export interface StartCheckDeps {
  readonly table: Pick<ObservableScheduleTable, 'state'>;
  readonly time: Pick<AgentTime, 'nowUs'>;
  readonly meter: LatenessMeter;
  readonly coverage: Coverage;
  readonly lateChecks: LateChecks;
  readonly onResult: (result: CheckResult, context: ResultContext) => void;
}

/** Begins a job: the device becomes busy, and the delay of the check is counted. */
export function startCheck(deps: StartCheckDeps, schedule: DeviceSchedule, job: CheckJob): StartedCheck {
  const { table, time, meter } = deps;
  const startUs = startOf(schedule, time.nowUs());
  const missedUs = Math.max(job.atUs, schedule.lastStartUs + 1, schedule.freeUs);
  beginCheck(table.state, schedule, startUs);
  const { lateUs, passed } = beginJob(schedule, job, startUs);
  meter.started(Math.max(0, lateUs / 1000));
  meter.skipped(passed);
  const blockMs = Math.max(0, (startUs - job.atUs) / 1000);
  const check = { schedule, assignment: schedule.assignment, job, startUs, blockMs };
  // A late retry or run request leaves no time uncovered, because the regular check before it was in time.
  if (job.kind === 'regular') countRegular(deps, check.assignment, { dueUs: missedUs, startUs });
  return check;
}

/**
 * Counts a regular check. If it starts late, the time since its due time is not covered: for its device, or for the
 * agent.
 */
function countRegular(
  { coverage, lateChecks, onResult }: StartCheckDeps,
  assignment: Assignment,
  { dueUs, startUs }: { readonly dueUs: number; readonly startUs: number },
): void {
  switch (lateChecks.started((startUs - dueUs) / 1000)) {
    case 'nothing':
      return;
    case 'agent':
      coverage.broken(dueUs, startUs);
      return;
    case 'device': {
      const measurement = notInTime(startUs - dueUs);
      const { deviceNo, deviceCreatedUs, revision } = assignment;
      const device = { deviceNo, deviceCreatedUs, revision };
      const identity = { ...device, startUs: dueUs, attempt: 0, retryId: '', runRequestId: '' };
      const context = { assignment, measurement, isFirstError: false };
      onResult(resultOf({ ...identity, blockMs: 0 }, measurement), context);
    }
  }
}
