import { expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { midnightUs } from '../testing/scheduler-fixture.ts';
import { beginJob, nextJob } from './check-job.ts';
import { createDeviceSchedule, type DeviceSchedule } from './device-schedule.ts';

/** Seconds after midnight. */
const us = (seconds: number) => midnightUs + seconds * 1_000_000;

/** A device whose next regular check is due after 60 s. */
const schedule = (more: Partial<DeviceSchedule>) =>
  Object.assign(createDeviceSchedule(assignment(1), midnightUs), more);

const retryAt = (dueUs: number): DeviceSchedule['retrySequence'] => ({
  state: { kind: 'open', retryId: 'c', attempt: 1, dueUs, runRequestId: '' },
  last: { retryId: 'c', attempt: 0 },
});

test.each([
  ['requested before it is due', 59, 0, 'requested'],
  ['requested for the same moment', 60, 0, 'requested'],
  ['requested for later', 61, 60, 'regular'],
  ['requested for later, when both are due', 61, 61, 'requested'],
])('of a regular check and one %s: %i s, at %i s', (_what, atS, nowS, kind) => {
  const one = schedule({ requested: [{ runRequestId: 'r', atUs: us(atS) }] });
  expect(nextJob(one, us(nowS)).kind).toBe(kind);
});

test('one requested check goes before a regular one that is due, and then the regular one', () => {
  const one = schedule({ requested: [61, 62, 63].map((atS) => ({ runRequestId: `${atS}`, atUs: us(atS) })) });
  const begin = (nowS: number) => {
    const job = nextJob(one, us(nowS));
    beginJob(one, job, us(nowS));
    return job.kind;
  };
  expect([70, 71, 72, 73].map(begin).join()).toBe('requested,regular,requested,requested');
  expect(one.requested).toEqual([]);
});

test('a retry that is due goes before a check that was requested later', () => {
  const requested = [{ runRequestId: 'r', atUs: us(61) }];
  const one = schedule({ requested, retrySequence: retryAt(us(60)) });
  expect([
    nextJob(one, us(70)).kind,
    nextJob({ ...one, retrySequence: retryAt(us(62)) }, us(70)).kind,
  ]).toEqual(['retry', 'requested']);
});
