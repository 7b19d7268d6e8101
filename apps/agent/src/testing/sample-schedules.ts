import type { Assignment } from '@vantage/proto';
import type { CheckJob } from '../schedule/check-job.ts';
import { createDeviceSchedule, type DeviceSchedule } from '../schedule/device-schedule.ts';
import type { DeviceRetrySequence } from '../schedule/retry-sequence.ts';
import { assignment } from './measurements.ts';
import { midnightUs } from './scheduler-fixture.ts';

/** Microseconds. */
export const second = 1_000_000;

/** The time at these seconds after midnight. */
export const atSeconds = (seconds: number): number => midnightUs + seconds * second;

/** The seconds after midnight of a time. */
export const secondsOf = (atUs: number): number => (atUs - midnightUs) / second;

/** A device with a check each minute, from midnight on. */
export const sampleSchedule = (
  more: Partial<DeviceSchedule> = {},
  settings: Partial<Assignment> = {},
): DeviceSchedule => Object.assign(createDeviceSchedule(assignment(1, settings), midnightUs), more);

/** A retry sequence that waits for its first retry. */
export const openSequence = (dueUs: number, runRequestId = ''): DeviceRetrySequence => ({
  state: { kind: 'open', retryId: 'c', attempt: 1, dueUs, runRequestId },
  last: { retryId: 'c', attempt: 0 },
});

export const retryJob = (runRequestId: string): CheckJob => ({
  kind: 'retry',
  atUs: 0,
  attempt: 1,
  retryId: 'c',
  runRequestId,
});

export const regularJob: CheckJob = { kind: 'regular', atUs: atSeconds(60) };
