import { freshDeviceUs } from '@vantage/domain';
import type { Assignment } from '@vantage/proto';
import { expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import {
  openSequence as open,
  sampleSchedule as schedule,
  second,
  secondsOf as seconds,
  atSeconds as us,
} from '../testing/sample-schedules.ts';
import { midnightUs } from '../testing/scheduler-fixture.ts';
import { beginJob } from './check-job.ts';
import {
  bringForward,
  moveClock,
  reassign,
  requestImmediateCheck,
  setRetrySequence,
  skipOverdue,
  startOf,
} from './device-schedule.ts';
import { noRetrySequence } from './retry-sequence.ts';
import { createScheduleState } from './schedule-state.ts';
import { skipMissed } from './skipped-checks.ts';

const never = BigInt(Number.MAX_SAFE_INTEGER);

test.each([
  [59, undefined, 60],
  [60, { skipped: 1, fromUs: us(60) }, 120],
  [119, { skipped: 1, fromUs: us(60) }, 120],
  [120, { skipped: 2, fromUs: us(60) }, 180],
])('at second %i the checks that fell due are left out: %o', (nowS, skipped, dueS) => {
  const one = schedule();
  expect(skipOverdue(one, us(nowS))).toEqual(skipped);
  expect(seconds(one.dueUs)).toBe(dueS);
});

test.each<[string, Partial<Assignment>, number]>([
  ['within a minute', { intervalMs: 3_600_000, scheduleOffsetMs: 1_805_000 }, 15],
  ['not where it is due within a minute anyway', {}, 60],
  [
    'not where the device is at another agent by then',
    { fromUs: never, untilUs: BigInt(us(5)) },
    Number.POSITIVE_INFINITY,
  ],
])('the next regular check is brought forward, %s', (_what, settings, dueS) => {
  const one = schedule({}, settings);
  bringForward(one, us(10));
  expect(seconds(one.dueUs)).toBe(dueS);
  one.dueUs = us(1);
  bringForward(one, us(10));
  expect(seconds(one.dueUs)).toBe(1);
});

test.each([
  // due, free since, start; late, passed, next due
  [60, 0, 60, 0, 0, 120],
  [60, 0, 70, 10, 0, 120],
  [60, 65, 70, 5, 0, 120],
  [60, 0, 190, 130, 2, 240],
  [60, 0, 59, -1, 0, 120],
])(
  'a check that is due at %i, free at %i and starts at %i is %i s late',
  (dueS, freeS, startS, lateS, passed, nextS) => {
    const one = schedule({ freeUs: us(freeS) });
    const begun = beginJob(one, { kind: 'regular', atUs: us(dueS) }, us(startS));
    expect([begun.lateUs / second, begun.passed, seconds(one.dueUs)]).toEqual([lateS, passed, nextS]);
  },
);

test.each<[string, Partial<Assignment>, number | undefined, number, number]>([
  ['that changed just now', {}, undefined, 0, 1],
  ['that changed a moment less than a minute ago', {}, undefined, freshDeviceUs - 1, 1],
  ['that changed a minute ago', {}, undefined, freshDeviceUs, 0],
  ['that this agent checked already', {}, 1, 0, 0],
  ['that this agent checked before the change', {}, 0, 0, 1],
  ['that another agent checks first', { runImmediately: false }, undefined, 0, 0],
  ['that changed at the hand-over', { fromUs: BigInt(midnightUs) }, undefined, 0, 1],
  ['that changed before the hand-over', { fromUs: BigInt(midnightUs + 1) }, undefined, 0, 0],
])('a device %s is checked at once, or not', (_what, settings, checkedRevision, agoUs, count) => {
  const changed = { changedUs: BigInt(midnightUs), runImmediately: true, ...settings };
  const one = schedule({ checkedRevision }, changed);
  requestImmediateCheck(one, midnightUs + agoUs);
  expect(one.requested).toHaveLength(count);
});

test.each<[string, Partial<Assignment>, Partial<Assignment>, string]>([
  ['the same settings go on', {}, {}, 'open'],
  ['another interval goes on', {}, { intervalMs: 30_000 }, 'open'],
  ['a new revision ends', {}, { revision: 2 }, 'none'],
  ['another device under its number ends', { deviceCreatedUs: 5n }, { deviceCreatedUs: 6n }, 'none'],
  ['a controller that says now when the device was created goes on', {}, { deviceCreatedUs: 6n }, 'open'],
])('with a retry sequence, %s it', (_what, before, after, kind) => {
  const one = schedule({ retrySequence: open(us(70)) }, before);
  reassign(one, assignment(1, { ...before, ...after }), us(10));
  expect(one.retrySequence.state.kind).toBe(kind);
});

test.each<[string, number, Partial<Assignment>, number]>([
  ['that is due now stays due', 60, {}, 60],
  ['that waits since a second stays due', 61, {}, 60],
  ['that is not due yet has its time by the new settings', 59, {}, 60],
  ['that is due now has another time in another rotation', 60, { scheduleOffsetMs: 30_000 }, 90],
  [
    'that is due now belongs to the other agent after a hand-over',
    60,
    { fromUs: never, untilUs: BigInt(us(60)) },
    Number.POSITIVE_INFINITY,
  ],
])('with other settings a check %s', (_what, nowS, settings, dueS) => {
  const one = schedule();
  reassign(one, assignment(1, settings), us(nowS));
  expect(seconds(one.dueUs)).toBe(dueS);
});

test.each([
  ['closes, the check that fell due meanwhile is not made', open(0), noRetrySequence, 60, 120],
  ['closes, the check that is not due yet stays', open(0), noRetrySequence, 59, 60],
  ['goes on, nothing changes', open(0), open(1), 60, 60],
  ['was closed before, a check that is due stays', noRetrySequence, noRetrySequence, 60, 60],
])('when a retry sequence %s', (_what, before, after, nowS, dueS) => {
  const one = schedule({ retrySequence: before });
  setRetrySequence(one, after, us(nowS));
  expect([one.retrySequence, seconds(one.dueUs)]).toEqual([after, dueS]);
});

test.each([
  // The clock is set from second 100.
  ['forward', 3600, [99, 100, 101], [3699, 3700, 101]],
  ['by nothing', 0, [99, 100, 101], [99, 100, 101]],
  ['back', -50, [99, 100, 101], [49, 50, 51]],
])(
  'a clock that is set %s moves what is under way, and requested checks as they were meant',
  (_what, byS, before, after) => {
    const one = schedule({
      retrySequence: open(us(100)),
      freeUs: us(90),
      requested: before.map((atS) => ({ runRequestId: `${atS}`, atUs: us(atS) })),
    });
    const nowS = 100 + byS;
    moveClock(one, byS * second, us(nowS));
    expect(one.requested.map(({ atUs }) => seconds(atUs))).toEqual(after);
    expect(one.retrySequence).toEqual(open(us(nowS)));
    expect([seconds(one.freeUs), seconds(one.dueUs)]).toEqual([90 + byS, Math.floor(nowS / 60) * 60 + 60]);
    const quiet = schedule();
    moveClock(quiet, byS * second, us(nowS));
    expect(quiet.retrySequence).toBe(noRetrySequence);
  },
);

test.each([
  [1, 1],
  [0, 1],
  [-1, 1],
  [1 - freshDeviceUs, 1],
  [-freshDeviceUs, -freshDeviceUs],
])('a start %i us after the one before is at %i us', (afterUs, startUs) => {
  expect(startOf(schedule({ lastStartUs: midnightUs }), midnightUs + afterUs) - midnightUs).toBe(startUs);
});

test('after a gap what fell due is left out, but for devices that are checked just now or wait for a retry', () => {
  const state = createScheduleState();
  for (const [deviceNo, more] of [
    [1, {}],
    [2, { busy: true }],
    [3, { retrySequence: open(us(70)) }],
    [4, { dueUs: us(600) }],
  ] as const)
    state.schedules.set(deviceNo, schedule(more));
  expect(skipMissed(state, us(130))).toEqual([{ count: 2, fromUs: us(60) }]);
  expect([...state.schedules.values()].map(({ dueUs }) => seconds(dueUs))).toEqual([180, 60, 60, 600]);
});
