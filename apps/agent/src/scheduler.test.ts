import { create } from '@bufbuild/protobuf';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Measurement, ResultCode } from '@vantage/probes';
import { type CheckResult, Order_Kind, OrderSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { createAgentTime } from './agent-time.ts';
import { createAllowance } from './allowance.ts';
import { type Chain, noChain } from './chain.ts';
import { createCoverage } from './coverage.ts';
import { every } from './every.ts';
import { createLatenessMeter } from './lateness.ts';
import { createScheduler } from './scheduler.ts';
import { createStalls } from './stalls.ts';
import { assignment, measured } from './testing/measurements.ts';

/** Midnight of a day, so that due times are easy to read. */
const midnightUs = 1_699_920_000_000_000;

/** A scheduler on a fake clock; each check takes `takesMs` and ends as `codes` says (the last one for ever). */
function stage(
  more: { takesMs?: number; concurrency?: number; checksPerMinute?: number; chain?: Chain } = {},
) {
  const clock = createFakeClock(midnightUs);
  let sleptMs = 0;
  const time = createAgentTime({ clock, upMs: () => clock.monoMs() + sleptMs, wallOffsetUs: 0 });
  const monoMs = () => clock.monoMs();
  const coverage = createCoverage();
  const meter = createLatenessMeter();
  const stalls = createStalls({ monoMs, thresholdMs: 1500 });
  const results: CheckResult[] = [];
  const codes: ResultCode[] = [1];
  const errors: unknown[] = [];
  let now = 0;
  let most = 0;
  const running = new Set<number>();
  const overlaps: number[] = [];
  let ids = 0;
  const pulse = every(clock, 250, () => void stalls.beat());
  const scheduler = createScheduler({
    time,
    clock,
    async check({ deviceNo }, signal): Promise<Measurement> {
      if (running.has(deviceNo)) overlaps.push(deviceNo);
      running.add(deviceNo);
      now += 1;
      most = Math.max(most, now);
      await clock.sleep(more.takesMs ?? 100, signal).catch(() => undefined);
      now -= 1;
      running.delete(deviceNo);
      return measured((codes.length > 1 ? codes.shift() : codes[0]) ?? 1);
    },
    judge: async (_deviceNo, measurement) => measurement,
    onResult: (result) => results.push(result),
    concurrency: more.concurrency ?? 100,
    allowance: createAllowance({ checksPerMinute: more.checksPerMinute ?? Number.POSITIVE_INFINITY, monoMs }),
    coverage,
    meter,
    stalls,
    orderGraceMs: 5000,
    chainOf: () => more.chain ?? noChain,
    newId: () => `chain-${++ids}`,
    onError: (error) => errors.push(error),
  });
  return {
    clock,
    time,
    scheduler,
    coverage,
    meter,
    stalls,
    results,
    codes,
    errors,
    overlaps,
    pulse,
    mostAtOnce: () => most,
    sleep: (ms: number) => {
      sleptMs += ms;
    },
    /** Seconds after midnight at which checks started. */
    starts: () => results.map(({ startUs }) => (Number(startUs) - midnightUs) / 1_000_000),
    order: (kind: Order_Kind, attempt: number, chainId: string, afterS: number) =>
      create(OrderSchema, {
        orderId: `order-${attempt}`,
        kind,
        deviceNo: 1,
        chainId,
        attempt,
        notBeforeUs: BigInt(midnightUs + afterS * 1_000_000),
      }),
  };
}

test('checks start at their due times, and all of it is covered', async () => {
  const { clock, scheduler, coverage, meter, starts } = stage();
  scheduler.replace([assignment(1, { phaseMs: 10_000 })]);
  scheduler.start();
  await clock.advance(180_000);
  expect(starts()).toEqual([10, 70, 130]);
  expect(meter.take()).toEqual({ p50Ms: 0, p99Ms: 0, started: 3, skipped: 0 });
  expect(coverage.take(midnightUs + 180_000_000, scheduler.waitingUs())).toEqual([
    { fromUs: midnightUs, toUs: midnightUs + 180_000_000 },
  ]);
});

test('a chain stands in for ordinary turns and they go on after it', async () => {
  const { clock, scheduler, results, codes, starts } = stage();
  codes.splice(0, 1, 2, 2, 2, 2, 1);
  scheduler.replace([assignment(1, { retryDelayMs: 40_000 })]);
  scheduler.start();
  await clock.advance(300_000);
  expect(starts().map(Math.round)).toEqual([60, 100, 140, 180, 240, 300].slice(0, results.length));
  expect(results.map(({ attempt }) => attempt).slice(0, 4)).toEqual([0, 1, 2, 0]);
  expect(results.map(({ chainId }) => chainId).slice(0, 4)).toEqual(['chain-1', 'chain-1', 'chain-1', '']);
});

test('where others observe too, an ordered retry runs at its time; without a word it runs 5 s later', async () => {
  const { clock, scheduler, codes, starts, results, order } = stage();
  codes.splice(0, 1, 2, 2, 1);
  scheduler.replace([assignment(1, { runsChain: false })]);
  scheduler.start();
  await clock.advance(61_000);
  scheduler.order(order(Order_Kind.RETRY, 1, 'chain-1', 66));
  await clock.advance(30_000);
  expect(starts().map((s) => Math.round(s * 10) / 10)).toEqual([60, 66, 76.1]);
  expect(results.map(({ attempt, orderId }) => [attempt, orderId])).toEqual([
    [0, ''],
    [1, 'order-1'],
    [2, ''],
  ]);
  scheduler.order(order(Order_Kind.RETRY, 1, 'chain-1', 0));
  await clock.advance(5000);
  expect(results.length).toBe(3);
});

test('a device that another agent holds is looked at once, by the order that brought it, and then let go', async () => {
  const { clock, scheduler, codes, starts, results, order } = stage();
  codes.splice(0, 1, 2);
  scheduler.replace([assignment(2, { phaseMs: 50_000 })]);
  scheduler.start();
  scheduler.order(order(Order_Kind.RETRY, 1, 'chain-0', 0)); // brings no device: passed over
  const borrowed = { ...order(Order_Kind.RETRY, 1, 'chain-1', 20), assignment: assignment(1) };
  scheduler.order(borrowed);
  scheduler.replace([assignment(2, { phaseMs: 50_000 })]);
  await clock.advance(10_000);
  scheduler.order(borrowed);
  scheduler.order(order(Order_Kind.CHAIN_TAKEN, 0, 'chain-1', 0));
  await clock.advance(36_000);
  scheduler.order(borrowed);
  await clock.advance(300_000);
  expect(results.flatMap(({ deviceNo }, i) => (deviceNo === 1 ? [starts()[i]] : []))).toEqual([20]);
  expect(results[0]).toMatchObject({ attempt: 1, chainId: 'chain-1', orderId: 'order-1' });
  scheduler.order({ ...order(Order_Kind.RETRY, 3, 'chain-1', 0), assignment: assignment(1) });
  await clock.advance(1000);
  expect(results.at(-1)).toMatchObject({ deviceNo: 1, attempt: 3, orderId: 'order-3' });
});

test('a chain taken elsewhere is not retried here', async () => {
  const { clock, scheduler, codes, starts, order } = stage();
  codes.splice(0, 1, 2);
  scheduler.replace([assignment(1, { runsChain: false })]);
  scheduler.start();
  await clock.advance(61_000);
  scheduler.order(order(Order_Kind.CHAIN_TAKEN, 0, 'chain-1', 0));
  await clock.advance(60_000);
  expect(starts()).toEqual([60, 120]);
});

test('checks of one device never overlap and never more than the limit run', async () => {
  const { clock, scheduler, overlaps, mostAtOnce, results } = stage({ takesMs: 90_000, concurrency: 3 });
  scheduler.replace(Array.from({ length: 5 }, (_, i) => assignment(i, { phaseMs: i * 1000 })));
  scheduler.start();
  await clock.advance(600_000);
  expect(overlaps).toEqual([]);
  expect(mostAtOnce()).toBe(3);
  expect(new Set(results.map(({ deviceNo }) => deviceNo)).size).toBe(5);
});

test('beyond capacity the agent says how late it is and what it skips, and does not call it covered', async () => {
  const { clock, scheduler, meter, coverage } = stage({ takesMs: 40_000, concurrency: 1 });
  scheduler.replace(Array.from({ length: 4 }, (_, i) => assignment(i)));
  scheduler.start();
  await clock.advance(600_000);
  const { p99Ms, skipped } = meter.take();
  expect(p99Ms).toBeGreaterThan(60_000);
  expect(skipped).toBeGreaterThan(5);
  const spans = coverage.take(midnightUs + 600_000_000, scheduler.waitingUs());
  expect(spans.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0)).toBeLessThan(100_000_000);
});

test('a fresh change is looked at at once by the agent that is to look first, and once per revision', async () => {
  const { clock, scheduler, starts } = stage();
  scheduler.start();
  const changedUs = BigInt(midnightUs);
  scheduler.change(
    [assignment(1, { changedUs, firstLook: true }), assignment(2, { changedUs, firstLook: false })],
    [],
  );
  await clock.advance(1000);
  scheduler.replace([assignment(1, { changedUs, firstLook: true, turns: 2 })]);
  await clock.advance(1000);
  expect(starts()).toEqual([0]);
  scheduler.change([assignment(1, { changedUs, firstLook: true, revision: 2 })], []);
  await clock.advance(1000);
  expect(starts()).toEqual([0, 2]);
});

test('a host that slept an hour makes no burst, and what it missed is not covered', async () => {
  const { clock, scheduler, time, stalls, sleep, results, meter, coverage } = stage();
  scheduler.replace(Array.from({ length: 600 }, (_, i) => assignment(i, { phaseMs: i * 100 })));
  scheduler.start();
  await clock.advance(500);
  const before = results.length;
  sleep(3_600_000);
  expect(time.noticeSleep()).toBe(3_600_000);
  stalls.mark();
  scheduler.gapEnded(3_600_000);
  await clock.advance(1000);
  expect(results.length - before).toBeLessThan(20);
  expect(meter.take().skipped).toBeGreaterThan(600 * 59);
  const spans = coverage.take(time.nowUs(), scheduler.waitingUs());
  expect(spans.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0)).toBeLessThan(70_000_000);
});

test('a clock put right by an hour makes no burst and loses no turn', async () => {
  const { clock, scheduler, time, meter, results } = stage();
  scheduler.replace(Array.from({ length: 60 }, (_, i) => assignment(i, { phaseMs: i * 1000 })));
  scheduler.start();
  await clock.advance(10_500);
  time.setOffset(3_600_000_000);
  scheduler.clockStepped(3_600_000_000);
  await clock.advance(60_000);
  expect(meter.take()).toMatchObject({ skipped: 0 });
  expect(results.length).toBeGreaterThanOrEqual(69);
  expect(results.length).toBeLessThanOrEqual(71);
});

test('a new device is looked at at once though the clock is put back by an hour just then', async () => {
  const { clock, scheduler, time, results } = stage();
  const changedUs = BigInt(midnightUs);
  scheduler.replace([assignment(1, { intervalMs: 3_600_000, changedUs, firstLook: true })]);
  time.setOffset(-3_600_000_000);
  scheduler.clockStepped(-3_600_000_000);
  scheduler.start();
  await clock.advance(1000);
  expect(results.length).toBe(1);
});

test('an error of a check during which the process stood still is no result: the device is looked at again', async () => {
  const { clock, scheduler, results, codes, pulse } = stage({ takesMs: 5000 });
  codes.splice(0, 1, 2, 1);
  scheduler.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(61_000);
  pulse[Symbol.dispose]();
  await clock.advance(4500);
  const pulsing = every(clock, 250, () => scheduler.gapEnded(0));
  await clock.advance(6000);
  expect(results.map(({ resultCode }) => resultCode)).toEqual([1]);
  pulsing[Symbol.dispose]();
});

test('a good answer of a check during which the process stood still is thrown away too: its times are not true', async () => {
  const { clock, scheduler, results, pulse, meter } = stage({ takesMs: 5000 });
  scheduler.replace([assignment(1)]);
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

test('a process that stands still in every check tells the failures as its own fault, after three thrown away', async () => {
  const { clock, scheduler, results, codes, pulse, meter } = stage({ takesMs: 5000 });
  pulse[Symbol.dispose]();
  codes.splice(0, 1, 2);
  scheduler.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(85_000);
  expect(meter.take().started).toBeGreaterThanOrEqual(4);
  expect(results.map(({ resultCode }) => resultCode).slice(0, 1)).toEqual([10]);
  expect(results[0]?.checkResult).toContain('this agent stood still');
});

test('after a gap a device whose check was under way is looked at once, not twice', async () => {
  const { clock, scheduler, results, pulse, starts } = stage({ takesMs: 3000 });
  scheduler.replace([assignment(1, { intervalMs: 5000 })]);
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

test('a restart goes on with the chain that it finds: the retry that is open, or none for a device that is down', async () => {
  const open: Chain = {
    phase: { kind: 'open', chainId: 'before', k: 2, dueUs: midnightUs + 1_000_000, orderId: '' },
    last: { chainId: 'before', k: 1 },
  };
  const going = stage({ chain: open });
  going.codes.splice(0, 1, 2);
  going.scheduler.replace([assignment(1)]);
  going.scheduler.start();
  await going.clock.advance(130_000);
  expect(going.results.map(({ attempt, chainId }) => [attempt, chainId])).toEqual([
    [2, 'before'],
    [0, ''],
    [0, ''],
  ]);
  expect(going.starts()[0]).toBe(1);
  const down = stage({ chain: { phase: { kind: 'over' }, last: undefined } });
  down.codes.splice(0, 1, 2);
  down.scheduler.replace([assignment(1)]);
  down.scheduler.start();
  await down.clock.advance(130_000);
  expect(down.results.map(({ attempt, chainId }) => [attempt, chainId])).toEqual([
    [0, ''],
    [0, ''],
  ]);
});

test('starts of a device are unique and increase, though its clock is put back a little', async () => {
  const { clock, scheduler, time, results } = stage({ takesMs: 1 });
  scheduler.replace([assignment(1, { intervalMs: 1000 })]);
  scheduler.start();
  for (let i = 0; i < 10; i += 1) {
    await clock.advance(1000);
    time.setOffset(time.offsetUs - 900_000);
    scheduler.clockStepped(-900_000);
    scheduler.look(1);
  }
  const starts = results.map(({ startUs }) => Number(startUs));
  expect(starts.length).toBeGreaterThanOrEqual(10);
  expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
});

test('no more checks a minute run than the policy allows', async () => {
  const { clock, scheduler, results } = stage({ checksPerMinute: 30, takesMs: 1 });
  scheduler.replace(Array.from({ length: 100 }, (_, i) => assignment(i)));
  scheduler.start();
  await clock.advance(180_000);
  expect(results.length).toBeGreaterThan(55);
  expect(results.length).toBeLessThanOrEqual(62);
});

test('checks that the agent cuts short by its own end are no results', async () => {
  const { clock, scheduler, results } = stage({ takesMs: 5000 });
  scheduler.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(61_000);
  expect(scheduler.running).toBe(1);
  await scheduler.stop();
  expect(results).toEqual([]);
});

test('a device that is taken away while it is looked at still gives its result, and no more', async () => {
  const { clock, scheduler, results } = stage({ takesMs: 5000 });
  scheduler.replace([assignment(1)]);
  scheduler.start();
  await clock.advance(61_000);
  scheduler.change([], [1]);
  await clock.advance(200_000);
  expect(results.length).toBe(1);
});

test('devices that could not be seen are looked at within a minute of sight, spread, and no sooner than they would be', async () => {
  const { clock, scheduler, starts, results } = stage({ takesMs: 1 });
  const hourly = Array.from({ length: 60 }, (_, i) =>
    assignment(i + 1, { intervalMs: 3_600_000, phaseMs: 1_800_000 + i * 1000 }),
  );
  scheduler.replace([...hourly, assignment(100, { phaseMs: 30_000 })]);
  scheduler.start();
  await clock.advance(10_000);
  scheduler.lookSoon([...hourly.map(({ deviceNo }) => deviceNo), 100, 999]);
  await clock.advance(60_000);
  const perDevice = Map.groupBy(results, ({ deviceNo }) => deviceNo);
  expect(perDevice.size).toBe(61);
  expect(perDevice.get(100)?.length).toBe(1);
  const seconds = starts().map(Math.floor);
  const busiest = Math.max(...seconds.map((second) => seconds.filter((other) => other === second).length));
  expect(busiest).toBeLessThanOrEqual(3);
});
