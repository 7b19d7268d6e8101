import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { midnightUs } from '../testing/scheduler-fixture.ts';
import { beginJob, nextJob } from './check-job.ts';
import { createDeviceSchedule, type DeviceSchedule, reassign } from './device-schedule.ts';
import { firstDueUs, isOwnDue, nextOwnDueUs } from './own-due-times.ts';
import { noRetrySequence } from './retry-sequence.ts';
import { createScheduleState, putAssignment } from './schedule-state.ts';

const second = 1_000_000;
const neverUs = BigInt(Number.MAX_SAFE_INTEGER);
const at = (seconds: number) => BigInt(midnightUs + seconds * second);
const minutely = (fromUs: bigint, untilUs = 0n) => assignment(1, { fromUs, untilUs });

const nextAfter = (one: ReturnType<typeof minutely>, seconds: number) =>
  (nextOwnDueUs(one, midnightUs + seconds * second) - midnightUs) / second;

test.each([
  ['without a hand-over every due time is its own', minutely(0n), 0, 60],
  ['before it has the device nothing is due', minutely(at(100)), 0, 120],
  ['the due time at the hand-over belongs to the agent that gets the device', minutely(at(120)), 0, 120],
  ['and not to the agent that gives it', minutely(neverUs, at(60)), 0, Number.POSITIVE_INFINITY],
  ['the agent that gives it has the due time before', minutely(neverUs, at(61)), 0, 60],
  ['an agent that gets a device back has both sides', minutely(at(180), at(61)), 0, 60],
  ['and nothing between', minutely(at(180), at(61)), 60, 180],
])('%s', (_title, one, afterS, dueS) => {
  expect(nextAfter(one, afterS)).toBe(dueS);
});

test.each([
  ['makes up for the due time since the hand-over', 58, 62, 0, 60],
  ['does not check again what it checked since', 58, 62, 60.5, 120],
  ['makes up for nothing before the hand-over', 61, 62, 0, 120],
  ['at the due time of the hand-over takes it', 60, 60, 0, 60],
  ['by a minute leaves the hand-over alone', 60, 120, 0, 180],
  ['leaves old hand-overs alone, as after a restart', 58, 121, 0, 180],
])('an assignment that arrives late %s', (_title, fromS, nowS, lastStartS, dueS) => {
  const dueUs = firstDueUs(minutely(at(fromS)), midnightUs + nowS * second, midnightUs + lastStartS * second);
  expect((dueUs - midnightUs) / second).toBe(dueS);
});

test('a device without a hand-over is not overdue on a host whose clock stands at 1970', () => {
  expect(firstDueUs(assignment(1, { intervalMs: 10_000 }), 30 * second, 0)).toBe(40 * second);
});

/** The due times of the regular checks that a schedule starts up to a moment; each check takes no time. */
function runUntil(schedule: DeviceSchedule, nowUs: number, untilUs: number): number[] {
  const dues: number[] = [];
  for (let job = nextJob(schedule); job.atUs <= untilUs; job = nextJob(schedule)) {
    const startUs = Math.max(job.atUs, nowUs);
    beginJob(schedule, job, startUs);
    schedule.lastStartUs = startUs;
    if (job.kind === 'regular') dues.push(job.atUs);
  }
  return dues;
}

test('between two agents that know of a hand-over, each due time has exactly one check, however late the new one learns of it', () => {
  const facts = fc.record({
    intervalMs: fc.integer({ min: 10_000, max: 100_000 }),
    offset: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    handOverMs: fc.integer({ min: 50_000, max: 150_000 }),
    knownBeforeMs: fc.nat(3_000),
    arrivesAfterMs: fc.integer({ min: -3_000, max: 9_999 }),
  });
  fc.assert(
    fc.property(facts, ({ intervalMs, offset, handOverMs, knownBeforeMs, arrivesAfterMs }) => {
      const us = (ms: number) => midnightUs + ms * 1000;
      const plain = { intervalMs, scheduleOffsetMs: Math.floor(offset * intervalMs), runImmediately: true };
      const [fromUs, endMs] = [BigInt(us(handOverMs)), 400_000];
      const old = createDeviceSchedule(assignment(1, plain), midnightUs);
      const before = runUntil(old, midnightUs, us(handOverMs - knownBeforeMs));
      reassign(
        old,
        assignment(1, { ...plain, fromUs: neverUs, untilUs: fromUs }),
        us(handOverMs - knownBeforeMs),
      );
      const last = runUntil(old, us(handOverMs - knownBeforeMs), us(endMs));
      const arrivesUs = us(handOverMs + arrivesAfterMs);
      const young = createDeviceSchedule(assignment(1, { ...plain, fromUs }), arrivesUs);
      const after = runUntil(young, arrivesUs, us(endMs));
      const alone = createDeviceSchedule(assignment(1, plain), midnightUs);
      expect([...before, ...last, ...after]).toEqual(runUntil(alone, midnightUs, us(endMs)));
      expect(after.every((dueUs) => isOwnDue({ fromUs, untilUs: 0n }, dueUs))).toBe(true);
    }),
  );
});

test('a check that is due and waits stays due when the hand-over of its device arrives', () => {
  const schedule = createDeviceSchedule(assignment(1), midnightUs);
  reassign(schedule, minutely(neverUs, at(63)), midnightUs + 60 * second + 10_000);
  expect(nextJob(schedule).atUs).toBe(midnightUs + 60 * second);
});

test('an agent that gets a device by hand-over does not check it at once, because the agent before did', () => {
  const changed = { runImmediately: true, changedUs: at(0) };
  const nowUs = midnightUs + 8 * second;
  const firstAt = (fromUs: bigint) => {
    const state = createScheduleState();
    putAssignment(state, assignment(1, { ...changed, fromUs }), nowUs, () => noRetrySequence);
    return state.dueQueue.first()?.atUs;
  };
  expect(firstAt(0n)).toBe(nowUs);
  expect(firstAt(at(10))).toBe(midnightUs + 60 * second);
});
