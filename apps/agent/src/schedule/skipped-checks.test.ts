import { every } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { createSchedulerFixture, midnightUs } from '../testing/scheduler-fixture.ts';
import type { DeviceRetrySequence } from './retry-sequence.ts';

test('a host that slept an hour makes no burst, and the hour is not covered', async () => {
  const { clock, scheduler, table, time, stalls, sleep, results, meter, coverage } = createSchedulerFixture();
  table.replace(Array.from({ length: 600 }, (_, i) => assignment(i, { scheduleOffsetMs: i * 100 })));
  scheduler.start();
  await clock.advance(500);
  const before = results.length;
  sleep(3_600_000);
  expect(time.detectSleep()).toBe(3_600_000);
  stalls.noteSleep();
  scheduler.gapEnded(3_600_000);
  await clock.advance(1000);
  expect(results.length - before).toBeLessThan(20);
  expect(meter.take().skipped).toBeGreaterThan(600 * 59);
  const spans = coverage.take(time.nowUs(), scheduler.waitingUs());
  expect(spans.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0)).toBeLessThan(70_000_000);
});

test('a clock step of an hour makes no burst and loses no check', async () => {
  const { clock, scheduler, table, time, meter, results } = createSchedulerFixture();
  table.replace(Array.from({ length: 60 }, (_, i) => assignment(i, { scheduleOffsetMs: i * 1000 })));
  scheduler.start();
  await clock.advance(10_500);
  time.setOffset(3_600_000_000);
  scheduler.clockStepped(3_600_000_000);
  await clock.advance(60_000);
  expect(meter.take()).toMatchObject({ skipped: 0 });
  expect(results.length).toBeGreaterThanOrEqual(69);
  expect(results.length).toBeLessThanOrEqual(71);
});

test('a new device is checked at once, though the clock steps back by an hour at that moment', async () => {
  const { clock, scheduler, table, time, results } = createSchedulerFixture();
  const changedUs = BigInt(midnightUs);
  table.replace([assignment(1, { intervalMs: 3_600_000, changedUs, runImmediately: true })]);
  time.setOffset(-3_600_000_000);
  scheduler.clockStepped(-3_600_000_000);
  scheduler.start();
  await clock.advance(1000);
  expect(results.length).toBe(1);
});

test('a host that starts 60 days behind checks new devices once it knows the time, and none seems late', async () => {
  const { clock, scheduler, table, time, results } = createSchedulerFixture();
  const stepUs = 60 * 86_400_000_000;
  table.replace([assignment(1, { changedUs: BigInt(midnightUs + stepUs), runImmediately: true })]);
  time.setOffset(stepUs);
  scheduler.clockStepped(stepUs);
  scheduler.start();
  await clock.advance(1000);
  expect(results).toHaveLength(1);
  expect(results[0]?.blockMs).toBeLessThan(1000);
});

test('an error of a check during which the process stood still is discarded, and the device is checked again', async () => {
  const { clock, scheduler, table, results, codes, pulse } = createSchedulerFixture({ takesMs: 5000 });
  codes.splice(0, 1, 2, 1);
  table.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(61_000);
  pulse[Symbol.dispose]();
  await clock.advance(4500);
  const pulsing = every(clock, 250, () => scheduler.gapEnded(0));
  await clock.advance(6000);
  expect(results.map(({ resultCode }) => resultCode)).toEqual([1]);
  pulsing[Symbol.dispose]();
});

test('a good answer of a check during which the process stood still is discarded too, because its times are wrong', async () => {
  const { clock, scheduler, table, results, pulse, meter } = createSchedulerFixture({ takesMs: 5000 });
  table.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(61_000);
  pulse[Symbol.dispose]();
  await clock.advance(4500);
  expect(results).toEqual([]);
  const pulsing = every(clock, 250, () => scheduler.gapEnded(0));
  await clock.advance(1000);
  expect(meter.take().started).toBe(2);
  pulsing[Symbol.dispose]();
});

test('a process that stands still in every check reports failures as its own fault after three discarded ones', async () => {
  const { clock, scheduler, table, results, codes, pulse, meter } = createSchedulerFixture({ takesMs: 5000 });
  pulse[Symbol.dispose]();
  codes.splice(0, 1, 2);
  table.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(85_000);
  expect(meter.take().started).toBeGreaterThanOrEqual(4);
  expect(results.map(({ resultCode }) => resultCode).slice(0, 1)).toEqual([10]);
  expect(results[0]?.checkResult).toContain('this agent stood still');
});

test('after a gap a device whose check was running is checked once, not twice', async () => {
  const { clock, scheduler, table, results, pulse, starts } = createSchedulerFixture({ takesMs: 3000 });
  table.replace([assignment(1, { intervalMs: 5000 })]);
  scheduler.start();
  await clock.advance(6000);
  pulse[Symbol.dispose]();
  await clock.advance(2500);
  expect(results).toEqual([]);
  const pulsing = every(clock, 250, () => scheduler.gapEnded(0));
  await clock.advance(4000);
  expect(starts()).toEqual([8]);
  pulsing[Symbol.dispose]();
});

test('a restart continues the open retry, and opens no retry sequence for a device whose retries all failed', async () => {
  const open: DeviceRetrySequence = {
    state: { kind: 'open', retryId: 'before', attempt: 2, dueUs: midnightUs + 1_000_000, runRequestId: '' },
    last: { retryId: 'before', attempt: 1 },
  };
  const continued = createSchedulerFixture({ retrySequence: open });
  continued.codes.splice(0, 1, 2);
  continued.table.replace([assignment(1)]);
  continued.scheduler.start();
  await continued.clock.advance(130_000);
  expect(continued.results.map(({ attempt, retryId }) => [attempt, retryId])).toEqual([
    [2, 'before'],
    [0, ''],
    [0, ''],
  ]);
  expect(continued.starts()[0]).toBe(1);
  const down = createSchedulerFixture({ retrySequence: { state: { kind: 'exhausted' }, last: undefined } });
  down.codes.splice(0, 1, 2);
  down.table.replace([assignment(1)]);
  down.scheduler.start();
  await down.clock.advance(130_000);
  expect(down.results.map(({ attempt, retryId }) => [attempt, retryId])).toEqual([
    [0, ''],
    [0, ''],
  ]);
});

test('starts of a device are unique and increase, though its clock steps back a little', async () => {
  const { clock, scheduler, table, time, results } = createSchedulerFixture({ takesMs: 1 });
  table.replace([assignment(1, { intervalMs: 1000 })]);
  scheduler.start();
  for (let i = 0; i < 10; i += 1) {
    await clock.advance(1000);
    time.setOffset(time.offsetUs - 900_000);
    scheduler.clockStepped(-900_000);
    table.runNow(1);
  }
  const starts = results.map(({ startUs }) => Number(startUs));
  expect(starts.length).toBeGreaterThanOrEqual(10);
  expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
});

test('devices of an agent that is online again are checked within a minute, spread, and each once', async () => {
  const { clock, scheduler, table, starts, results } = createSchedulerFixture({ takesMs: 1 });
  const hourly = Array.from({ length: 60 }, (_, i) =>
    assignment(i + 1, { intervalMs: 3_600_000, scheduleOffsetMs: 1_800_000 + i * 1000 }),
  );
  table.replace([...hourly, assignment(100, { scheduleOffsetMs: 30_000 })]);
  scheduler.start();
  await clock.advance(10_000);
  table.runSoon([...hourly.map(({ deviceNo }) => deviceNo), 100, 999]);
  await clock.advance(60_000);
  const perDevice = Map.groupBy(results, ({ deviceNo }) => deviceNo);
  expect(perDevice.size).toBe(61);
  expect(perDevice.get(100)?.length).toBe(1);
  const seconds = starts().map(Math.floor);
  const busiest = Math.max(...seconds.map((second) => seconds.filter((other) => other === second).length));
  expect(busiest).toBeLessThanOrEqual(3);
});

test('a check during which the process stood still for half a minute leaves no result for the due times that it missed', async () => {
  const { clock, scheduler, table, results, pulse, coverage, time } = createSchedulerFixture({
    takesMs: 30_000,
  });
  table.replace([assignment(1, { intervalMs: 5000 })]);
  scheduler.start();
  await clock.advance(5500);
  pulse[Symbol.dispose]();
  await clock.advance(30_000);
  const spans = coverage.take(time.nowUs(), scheduler.waitingUs());
  expect(spans.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0)).toBeLessThan(11_000_000);
  const pulsing = every(clock, 250, () => scheduler.gapEnded(0));
  await clock.advance(31_000);
  pulsing[Symbol.dispose]();
  expect(results.map(({ resultCode }) => resultCode)).toEqual([1]);
});

test.each([
  [5000, 0],
  [5001, 1],
])('a sleep of %i ms leaves out %i of the checks that are due', async (lengthMs, skipped) => {
  const { clock, scheduler, table, meter } = createSchedulerFixture({ takesMs: 100_000, concurrency: 1 });
  table.replace([
    assignment(1, { intervalMs: 300_000, scheduleOffsetMs: 1000 }),
    assignment(2, { scheduleOffsetMs: 2000 }),
  ]);
  scheduler.start();
  await clock.advance(3000);
  scheduler.gapEnded(lengthMs);
  expect(meter.take().skipped).toBe(skipped);
  await scheduler.stop();
});

test.each([
  [5000, 0],
  [5001, 1],
])(
  'a process that stood still for %i ms leaves out %i of the checks that are due',
  async (lengthMs, skipped) => {
    const { clock, scheduler, table, meter, pulse } = createSchedulerFixture();
    table.replace([assignment(1, { scheduleOffsetMs: 2000 })]);
    scheduler.start();
    await clock.advance(1000);
    pulse[Symbol.dispose]();
    clock.spend(lengthMs);
    table.change([], []);
    expect(meter.take().skipped).toBe(skipped);
    await scheduler.stop();
  },
);

test('a clock that is set by a second or more ends the covered span, one that is set by less does not', async () => {
  for (const [byUs, spans] of [
    [999_999, 1],
    [1_000_000, 2],
    [-1_000_000, 2],
  ] as const) {
    const { clock, scheduler, time, coverage } = createSchedulerFixture();
    scheduler.start();
    await clock.advance(10_000);
    time.setOffset(byUs);
    scheduler.clockStepped(byUs);
    await clock.advance(10_000);
    expect(coverage.take(time.nowUs(), undefined)).toHaveLength(spans);
    await scheduler.stop();
  }
});
