import { expect, test } from 'vitest';
import { assignment, measured } from '../testing/measurements.ts';
import { midnightUs } from '../testing/scheduler-fixture.ts';
import { asOneOff } from './apply-run-request.ts';
import type { CheckJob } from './check-job.ts';
import { applyMeasurement, usableMeasurement } from './check-outcome.ts';
import { createDeviceSchedule } from './device-schedule.ts';

const regular: CheckJob = { kind: 'regular', atUs: midnightUs };
const retry: CheckJob = { kind: 'retry', atUs: midnightUs, attempt: 1, retryId: 'c9', runRequestId: 'r' };
const requested: CheckJob = { kind: 'requested', atUs: midnightUs, runRequestId: 'q' };
const newId = () => 'c1';
const at = { endUs: midnightUs + 1, nowUs: midnightUs + 2, requestGraceMs: 5000, newId };

test('three measurements in a row are discarded after a stall; then a failure is the fault of the agent', () => {
  const schedule = createDeviceSchedule(assignment(1), midnightUs);
  const codes = (code: 1 | 2, stalls: readonly boolean[]) =>
    stalls.map((isStalled) => usableMeasurement(schedule, measured(code), isStalled)?.code);
  expect(codes(2, [true, true, true, true, true])).toEqual([undefined, undefined, undefined, 10, undefined]);
  expect(codes(2, [false, true])).toEqual([2, undefined]);
  expect(codes(1, [false, true, true, true, true])).toEqual([1, undefined, undefined, undefined, 1]);
});

test.each<[string, CheckJob, object, string]>([
  ['a regular check', regular, { attempt: 0, retryId: 'c1', runRequestId: '' }, 'open'],
  ['a retry', retry, { attempt: 1, retryId: 'c9', runRequestId: 'r' }, 'open'],
  ['a requested check', requested, { attempt: 0, retryId: 'c1', runRequestId: 'q' }, 'open'],
])('the result of %s that failed says what it was', (_what, job, record, kind) => {
  const schedule = createDeviceSchedule(assignment(1), midnightUs);
  const check = { schedule, assignment: schedule.assignment, job, startUs: midnightUs, blockMs: 0 };
  const { result, context } = applyMeasurement(check, measured(2), at);
  expect(result).toMatchObject({ ...record, revision: 1, behindAnchor: false });
  expect([context.isFirstError, schedule.retrySequence.state.kind]).toEqual([true, kind]);
  expect(schedule.checkedRevision).toBe(1);
});

test('a result under settings that were replaced meanwhile leaves the retries alone', () => {
  const schedule = createDeviceSchedule(assignment(1), midnightUs);
  const check = {
    schedule,
    assignment: assignment(1, { revision: 0 }),
    job: regular,
    startUs: 1,
    blockMs: 0,
  };
  const { result } = applyMeasurement(check, measured(2, [], { behindAnchor: true }), at);
  expect(result).toMatchObject({ revision: 0, behindAnchor: true });
  expect([schedule.retrySequence.state.kind, schedule.checkedRevision]).toEqual(['none', 0]);
});

test('the device of another agent goes with its last result, and has no retries here', () => {
  const schedule = asOneOff(undefined, assignment(1), midnightUs);
  const check = { schedule, assignment: schedule.assignment, job: requested, startUs: 1, blockMs: 0 };
  schedule.requested = [{ runRequestId: 'later', atUs: 1 }];
  applyMeasurement(check, measured(2), at);
  expect([schedule.gone, schedule.retrySequence.state.kind]).toEqual([false, 'none']);
  schedule.requested = [];
  applyMeasurement(check, measured(2), at);
  expect(schedule.gone).toBe(true);
});
