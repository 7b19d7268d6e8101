import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { createSchedulerFixture, midnightUs } from '../testing/scheduler-fixture.ts';
import { createLateChecks, isOverloaded } from './late-checks.ts';

test.each([
  [1, 1, false],
  [2, 2, false],
  [3, 3, true],
  [100, 10, false],
  [100, 11, true],
  [100_000, 20, false],
  [100_000, 21, true],
])('of %i checks %i late: overloaded %s', (started, late, expected) => {
  expect(isOverloaded({ started, late })).toBe(expected);
});

test('an agent that was overloaded counts anew after ten minutes', async () => {
  const clock = createFakeClock();
  const checks = createLateChecks(() => clock.monoMs());
  const starts = () => [6000, 6000, 6000, 5000].map((lateMs) => checks.started(lateMs));
  expect(starts()).toEqual(['device', 'device', 'agent', 'nothing']);
  await clock.advance(600_000);
  expect(starts()).toEqual(['agent', 'agent', 'agent', 'nothing']);
  await clock.advance(1);
  expect(starts()).toEqual(['device', 'device', 'agent', 'nothing']);
});

test('more than a tenth of the starts are late from the third late one among 29, not among 30', () => {
  for (const [inTime, third] of [
    [26, 'agent'],
    [27, 'device'],
  ] as const) {
    const checks = createLateChecks(() => 0);
    for (let at = 0; at < inTime; at += 1) checks.started(0);
    expect([6000, 6000, 6000].map((lateMs) => checks.started(lateMs))).toEqual(['device', 'device', third]);
  }
});

test('a check that starts more than 50 s late ends the coverage of the whole agent', () => {
  const checks = createLateChecks(() => 0);
  expect([checks.started(50_000), checks.started(50_001)]).toEqual(['device', 'agent']);
});

test('one check that starts late leaves only its own device uncovered', async () => {
  const { clock, scheduler, table, results, contexts, coverage } = createSchedulerFixture({
    takesMs: 12_000,
    concurrency: 1,
  });
  table.replace([assignment(1), assignment(2, { scheduleOffsetMs: 2000 })]);
  scheduler.start();
  await clock.advance(90_000);
  const [late, ...others] = results.filter(({ resultCode }) => resultCode === 10);
  expect(others).toEqual([]);
  expect(late).toMatchObject({
    deviceNo: 2,
    startUs: BigInt(midnightUs + 2_000_000 + 60_000_000),
    attempt: 0,
  });
  expect(late).toMatchObject({
    checkResult: 'this agent started the check 10 s after its due time',
    slow: false,
    blockMs: 0,
  });
  expect(contexts.map(({ isFirstError }) => isFirstError)).not.toContain(true);
  const after = results.filter(({ deviceNo, resultCode }) => deviceNo === 2 && resultCode === 1);
  expect(after.map(({ startUs }) => Number(startUs) - midnightUs)).toEqual([2_000_000, 72_000_000]);
  expect(after.map(({ blockMs }) => blockMs)).toEqual([0, 10_000]);
  expect(coverage.take(midnightUs + 90_000_000, scheduler.waitingUs())).toEqual([
    { fromUs: midnightUs, toUs: midnightUs + 90_000_000 },
  ]);
});
