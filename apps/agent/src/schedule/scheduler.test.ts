import { RunRequest_Kind } from '@vantage/proto';
import { expect, test, vi } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { createSchedulerFixture, midnightUs } from '../testing/scheduler-fixture.ts';

test('checks start at their due times, and the whole time is covered', async () => {
  const { clock, scheduler, table, coverage, meter, starts } = createSchedulerFixture();
  table.replace([assignment(1, { scheduleOffsetMs: 10_000 })]);
  scheduler.start();
  await clock.advance(180_000);
  expect(starts()).toEqual([10, 70, 130]);
  expect(meter.take()).toEqual({ p50Ms: 0, p99Ms: 0, started: 3, skipped: 0 });
  expect(coverage.take(midnightUs + 180_000_000, scheduler.waitingUs())).toEqual([
    { fromUs: midnightUs, toUs: midnightUs + 180_000_000 },
  ]);
});

test('a hundred checks at one moment share the timer of the next due time', async () => {
  const { clock, scheduler, table, results } = createSchedulerFixture();
  const timers = vi.spyOn(clock, 'timer');
  table.replace(Array.from({ length: 100 }, (_, i) => assignment(i + 1, { scheduleOffsetMs: 10_000 })));
  scheduler.start();
  await clock.advance(9900);
  timers.mockClear();
  await clock.advance(900);
  expect(results).toHaveLength(100);
  // Each check waits with one timer for its target.
  expect(timers.mock.calls.length - 100).toBeLessThan(20);
});

test('checks start for 1 ms at a time, and the event loop turns in between', async () => {
  const { clock, scheduler, table, running } = createSchedulerFixture({
    takesMs: 60_000,
    startTakesMs: 1,
    concurrency: 1000,
  });
  table.replace(Array.from({ length: 200 }, (_, i) => assignment(i + 1, { scheduleOffsetMs: 10_000 })));
  scheduler.start();
  await clock.advance(9999);
  const perTurn: number[] = [];
  let before = 0;
  const count = () => {
    if (running.size > before) perTurn.push(running.size - before);
    before = running.size;
    if (before < 200) setImmediate(count);
  };
  setImmediate(count);
  await clock.advance(1);
  await vi.waitFor(() => expect(running.size).toBe(200), 60_000);
  // The check that fills the millisecond is followed by one more.
  expect(Math.max(...perTurn)).toBe(2);
});

test('an agent with twice the work that it can do checks every device equally often', async () => {
  const { clock, scheduler, table, results } = createSchedulerFixture({ takesMs: 1000, concurrency: 10 });
  // 20 checks a second are due, and 10 can be made.
  table.replace(Array.from({ length: 1200 }, (_, i) => assignment(i + 1, { scheduleOffsetMs: i * 50 })));
  scheduler.start();
  await clock.advance(1_200_000);
  const counts = new Map<number, number>();
  for (const { deviceNo } of results) counts.set(deviceNo, (counts.get(deviceNo) ?? 0) + 1);
  expect(results.length).toBeGreaterThan(11_500);
  expect(counts.size).toBe(1200);
  expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(2);
});

test('the timer wakes at most every 4 ms, and exactly after a pause', async () => {
  const { clock, scheduler, table, results } = createSchedulerFixture();
  table.replace(Array.from({ length: 40 }, (_, i) => assignment(i + 1, { scheduleOffsetMs: 10_000 + i })));
  scheduler.start();
  await clock.advance(11_000);
  const startsMs = results.map(({ startUs }) => (Number(startUs) - midnightUs) / 1000);
  const lateMs = results.map(({ deviceNo }, i) => (startsMs[i] ?? 0) - 10_000 - deviceNo + 1);
  expect(startsMs).toHaveLength(40);
  expect(startsMs[0]).toBe(10_000);
  expect(Math.min(...lateMs)).toBe(0);
  expect(Math.max(...lateMs)).toBeLessThan(4);
  expect(new Set(startsMs).size).toBeLessThanOrEqual(11);
});

test('while a retry sequence is open there are no regular checks, and they continue after it', async () => {
  const { clock, scheduler, table, results, codes, starts } = createSchedulerFixture();
  codes.splice(0, 1, 2, 2, 2, 2, 1);
  table.replace([assignment(1, { retryDelayMs: 40_000 })]);
  scheduler.start();
  await clock.advance(300_000);
  expect(starts().map(Math.round)).toEqual([60, 100, 140, 180, 240, 300].slice(0, results.length));
  expect(results.map(({ attempt }) => attempt).slice(0, 4)).toEqual([0, 1, 2, 0]);
  expect(results.map(({ retryId }) => retryId).slice(0, 4)).toEqual(['retry-1', 'retry-1', 'retry-1', '']);
});

test('where other agents check too, a requested retry runs at its time; without a request it runs 5 s later', async () => {
  const { clock, scheduler, table, codes, starts, results, request } = createSchedulerFixture();
  codes.splice(0, 1, 2, 2, 1);
  table.replace([assignment(1, { retriesLocally: false })]);
  scheduler.start();
  await clock.advance(61_000);
  table.runRequest(request(RunRequest_Kind.RETRY, 1, 'retry-1', 66));
  await clock.advance(30_000);
  expect(starts().map((s) => Math.round(s * 10) / 10)).toEqual([60, 66, 76.1]);
  expect(results.map(({ attempt, runRequestId }) => [attempt, runRequestId])).toEqual([
    [0, ''],
    [1, 'request-1'],
    [2, ''],
  ]);
  table.runRequest(request(RunRequest_Kind.RETRY, 1, 'retry-1', 0));
  await clock.advance(5000);
  expect(results.length).toBe(3);
});

test('checks of one device never overlap and never more than the limit run', async () => {
  const { clock, scheduler, table, overlaps, maxAtOnce, results } = createSchedulerFixture({
    takesMs: 90_000,
    concurrency: 3,
  });
  table.replace(Array.from({ length: 5 }, (_, i) => assignment(i, { scheduleOffsetMs: i * 1000 })));
  scheduler.start();
  await clock.advance(600_000);
  expect(overlaps).toEqual([]);
  expect(maxAtOnce()).toBe(3);
  expect(new Set(results.map(({ deviceNo }) => deviceNo)).size).toBe(5);
});

test('beyond capacity the agent reports its lateness and its skipped checks, and the time is not covered', async () => {
  const { clock, scheduler, table, meter, coverage } = createSchedulerFixture({
    takesMs: 40_000,
    concurrency: 1,
  });
  table.replace(Array.from({ length: 4 }, (_, i) => assignment(i)));
  scheduler.start();
  await clock.advance(600_000);
  const { p99Ms, skipped } = meter.take();
  expect(p99Ms).toBeGreaterThan(60_000);
  expect(skipped).toBeGreaterThan(5);
  const spans = coverage.take(midnightUs + 600_000_000, scheduler.waitingUs());
  expect(spans.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0)).toBeLessThan(100_000_000);
});

test('a changed device is checked at once by the agent that runs the first check, and once per revision', async () => {
  const { clock, scheduler, table, starts } = createSchedulerFixture();
  scheduler.start();
  const changedUs = BigInt(midnightUs);
  table.change(
    [assignment(1, { changedUs, runImmediately: true }), assignment(2, { changedUs, runImmediately: false })],
    [],
  );
  await clock.advance(1000);
  table.replace([assignment(1, { changedUs, runImmediately: true, rotationSize: 2 })]);
  await clock.advance(1000);
  expect(starts()).toEqual([0]);
  table.change([assignment(1, { changedUs, runImmediately: true, revision: 2 })], []);
  await clock.advance(1000);
  expect(starts()).toEqual([0, 2]);
});

test('no more checks a minute run than the policy allows', async () => {
  const { clock, scheduler, table, results } = createSchedulerFixture({ checksPerMinute: 30, takesMs: 1 });
  table.replace(Array.from({ length: 100 }, (_, i) => assignment(i)));
  scheduler.start();
  await clock.advance(180_000);
  expect(results.length).toBeGreaterThan(55);
  expect(results.length).toBeLessThanOrEqual(62);
});

test('checks cut short by the end of the agent give no results', async () => {
  const { clock, scheduler, table, results, running, maxAtOnce } = createSchedulerFixture({ takesMs: 5000 });
  table.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(61_000);
  expect(maxAtOnce()).toBe(1);
  await scheduler.stop();
  expect([results, running.size]).toEqual([[], 0]);
  await createSchedulerFixture().scheduler.stop();
});

test('before its start the scheduler checks nothing, and waits for nothing that is not due', async () => {
  const { clock, scheduler, table, results } = createSchedulerFixture();
  table.replace([assignment(1)]);
  await clock.advance(59_999);
  expect(scheduler.waitingUs()).toBe(undefined);
  await clock.advance(1);
  expect(scheduler.waitingUs()).toBe(midnightUs + 60_000_000);
  await clock.advance(1000);
  expect(table.runNow(1)).toBe(true);
  expect(results).toEqual([]);
  scheduler.start();
  await clock.advance(1000);
  expect(results).toHaveLength(1);
  expect([table.runNow(2), table.size]).toEqual([false, 1]);
});

test('a check that is asked for now starts though the limit of checks runs and others are due', async () => {
  const { clock, scheduler, table, running } = createSchedulerFixture({ takesMs: 90_000, concurrency: 3 });
  table.replace(Array.from({ length: 10 }, (_, i) => assignment(i, { scheduleOffsetMs: i * 1000 })));
  scheduler.start();
  await clock.advance(30_000);
  let started = 0;
  const onStart = () => {
    started += 1;
  };
  expect([running.size, running.has(9), table.runNow(9, onStart)]).toEqual([3, false, true]);
  await clock.advance(10);
  expect([running.size, running.has(9), started]).toEqual([4, true, 1]);
  // One that runs already counts.
  table.runNow(9, onStart);
  expect(started).toBe(2);
});

test('a check that is asked for now is the next one that the policy of the host allows', async () => {
  const { clock, scheduler, table, results } = createSchedulerFixture({ checksPerMinute: 6, takesMs: 1 });
  table.replace(Array.from({ length: 50 }, (_, i) => assignment(i)));
  scheduler.start();
  await clock.advance(180_000);
  const before = results.length;
  table.runNow(49);
  await clock.advance(10_001);
  expect(results.slice(before).map(({ deviceNo }) => deviceNo)).toEqual([49]);
});

test('a device that is removed during its check is asked for no more', async () => {
  const { clock, scheduler, table, results } = createSchedulerFixture({ takesMs: 5000 });
  table.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(61_000);
  table.change([], [1]);
  expect(table.runNow(1)).toBe(false);
  await clock.advance(10_000);
  expect(results).toHaveLength(1);
});

test('a device that is removed during its check still gives that result, and no more', async () => {
  const { clock, scheduler, table, results } = createSchedulerFixture({ takesMs: 5000 });
  table.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(61_000);
  table.change([], [1]);
  await clock.advance(200_000);
  expect(results.length).toBe(1);
});
