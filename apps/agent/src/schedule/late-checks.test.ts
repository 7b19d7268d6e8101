import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { midnightUs, stage } from '../testing/stage.ts';
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
  await clock.advance(600_001);
  expect(starts()).toEqual(['device', 'device', 'agent', 'nothing']);
});

test('a check that starts more than 50 s late ends the coverage of the whole agent', () => {
  const checks = createLateChecks(() => 0);
  expect([checks.started(50_000), checks.started(50_001)]).toEqual(['device', 'agent']);
});

test('one check that starts late leaves only its own device uncovered', async () => {
  const { clock, scheduler, table, results, coverage } = stage({ takesMs: 12_000, concurrency: 1 });
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
  expect(late?.checkResult).toBe('this agent started the check 10 s after its due time');
  const after = results.filter(({ deviceNo, resultCode }) => deviceNo === 2 && resultCode === 1);
  expect(after.map(({ startUs }) => Number(startUs) - midnightUs)).toEqual([2_000_000, 72_000_000]);
  expect(coverage.take(midnightUs + 90_000_000, scheduler.waitingUs())).toEqual([
    { fromUs: midnightUs, toUs: midnightUs + 90_000_000 },
  ]);
});
