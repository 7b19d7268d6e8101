import type { DeviceSchedule } from './device-schedule.ts';
import { dueTimesBetween } from './due-times.ts';
import { nextOwnDueUs } from './own-due-times.ts';
import { afterRetryBegan } from './retry-sequence.ts';

/** The next check of a device. */
export type CheckJob =
  | { readonly kind: 'regular'; readonly atUs: number }
  | {
      readonly kind: 'retry';
      readonly atUs: number;
      readonly attempt: number;
      readonly retryId: string;
      readonly runRequestId: string;
    }
  | { readonly kind: 'requested'; readonly atUs: number; readonly runRequestId: string };

/**
 * The earliest job. While a retry sequence is open there are no regular checks. A requested check that is due at
 * `nowUs` goes before a regular one, because its caller waits: if the checks of a device take longer than its period, a
 * regular one is always due.
 */
export function nextJob(schedule: DeviceSchedule, nowUs = 0): CheckJob {
  const { state } = schedule.retrySequence;
  const regular: CheckJob =
    state.kind === 'open'
      ? {
          kind: 'retry',
          atUs: state.dueUs,
          attempt: state.attempt,
          retryId: state.retryId,
          runRequestId: state.runRequestId,
        }
      : { kind: 'regular', atUs: schedule.dueUs };
  const requested = schedule.requested[0];
  const isFirst = regular.kind === 'regular' && !schedule.passedOver;
  const untilUs = isFirst ? Math.max(regular.atUs, nowUs) : regular.atUs;
  return requested !== undefined && requested.atUs <= untilUs ? { kind: 'requested', ...requested } : regular;
}

/** Begins a job at `startUs`. Returns its delay in microseconds and the number of due times that it passes over. */
export function beginJob(
  schedule: DeviceSchedule,
  job: CheckJob,
  startUs: number,
): { readonly lateUs: number; readonly passed: number } {
  const lateUs = startUs - Math.max(job.atUs, schedule.freeUs);
  switch (job.kind) {
    case 'regular':
      schedule.passedOver = false;
      schedule.dueUs = nextOwnDueUs(schedule.assignment, Math.max(startUs, job.atUs));
      return { lateUs, passed: dueTimesBetween(schedule.assignment, job.atUs, startUs) };
    case 'retry':
      schedule.retrySequence = afterRetryBegan(schedule.retrySequence, job.retryId, job.attempt);
      return { lateUs, passed: 0 };
    case 'requested':
      if (schedule.dueUs < job.atUs) schedule.passedOver = true;
      schedule.requested.shift();
      return { lateUs, passed: 0 };
  }
}
