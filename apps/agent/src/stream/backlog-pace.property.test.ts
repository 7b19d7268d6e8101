import { batchRecords } from '@vantage/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backlogPace, type ControllerLoad, firstPace, maxPauseMs, spreadPause } from './backlog-pace.ts';

const maybe = (max: number) => fc.option(fc.nat(max), { nil: undefined });
const uint32 = 4_294_967_295;
const loads: fc.Arbitrary<ControllerLoad> = fc.record({
  tookMs: maybe(uint32),
  storedMs: maybe(uint32),
  waitingBatches: maybe(uint32),
  busyPermille: maybe(uint32),
});
const lasts = fc.record({
  ackMs: fc.nat(120_000),
  records: fc.integer({ min: 1, max: batchRecords }),
  pauseMs: fc.double({ min: 0, max: maxPauseMs, noNaN: true }),
  busyMs: fc.double({ min: 0, max: maxPauseMs, noNaN: true }),
});

describe('the pace of one batch', () => {
  test('whatever a controller says, the pause and the size stay within their bounds', () => {
    fc.assert(
      fc.property(loads, lasts, (load, last) => {
        const { pauseMs, records } = backlogPace(load, last);
        expect(pauseMs).toBeGreaterThanOrEqual(0);
        expect(pauseMs).toBeLessThanOrEqual(maxPauseMs);
        expect(Number.isInteger(records)).toBe(true);
        expect(records).toBeGreaterThanOrEqual(50);
        expect(records).toBeLessThanOrEqual(batchRecords);
      }),
    );
  });

  test('after the same time, more batches that wait, a busier thread and a slower database never make the pause shorter or the backlog faster', () => {
    const full = fc.record({
      storedMs: fc.nat(5000),
      waitingBatches: fc.nat(200),
      busyPermille: fc.nat(1000),
    });
    fc.assert(
      fc.property(full, full, lasts, (a, b, last) => {
        const more = {
          storedMs: Math.max(a.storedMs, b.storedMs),
          // The pause for the thread shrinks with the time that the batch took in all.
          tookMs: Math.max(a.storedMs, b.storedMs),
          waitingBatches: Math.max(a.waitingBatches, b.waitingBatches),
          busyPermille: Math.max(a.busyPermille, b.busyPermille),
        };
        const [slow, fast] = [backlogPace(more, last), backlogPace({ ...a, tookMs: more.tookMs }, last)];
        expect(slow.pauseMs).toBeGreaterThanOrEqual(fast.pauseMs);
        // A batch has whole records, so a rate of 50 a second is up to one record more.
        expect((slow.records - 1) * fast.pauseMs).toBeLessThanOrEqual(fast.records * slow.pauseMs);
      }),
    );
  });

  test('however busy the controller says it is, 50 results follow for each second of the pause', () => {
    fc.assert(
      fc.property(loads, fc.nat(100_000), lasts, (load, storedMs, last) => {
        const { pauseMs, records } = backlogPace({ ...load, storedMs }, last);
        expect(records).toBeGreaterThanOrEqual((pauseMs * 50) / 1000);
      }),
    );
  });

  test('the agent’s own delays change nothing where the controller says how busy it is', () => {
    fc.assert(
      fc.property(loads, fc.nat(1000), lasts, fc.nat(120_000), (load, storedMs, last, ackMs) => {
        const said = { ...load, storedMs };
        expect(backlogPace(said, { ...last, ackMs })).toEqual(backlogPace(said, last));
      }),
    );
  });

  test('a controller that says the time of a batch only is followed by that, and one that says nothing by its ack', () => {
    const last = { ackMs: 100, records: 500, pauseMs: 0, busyMs: 7 };
    expect(backlogPace({ tookMs: 30 }, last)).toEqual({ pauseMs: 30, records: 500, busyMs: 7 });
    expect(backlogPace({}, last)).toEqual({ pauseMs: 400, records: 500, busyMs: 7 });
    expect(backlogPace({}, { ...last, ackMs: 10 })).toEqual({ pauseMs: 250, records: 500, busyMs: 7 });
  });
});

/** A controller with a speed, and agents with a backlog each. */
const scenes = fc.record({
  agents: fc.integer({ min: 1, max: 20 }),
  /** Batches of 500 of each agent. */
  batches: fc.integer({ min: 20, max: 120 }),
  storeMs: fc.record({ batch: fc.integer({ min: 1, max: 20 }), thousand: fc.integer({ min: 10, max: 120 }) }),
  /** Milliseconds of the controller's thread for 1,000 records. */
  threadMs: fc.integer({ min: 5, max: 30 }),
  /** Batches of new records each agent has a second. */
  newPerSecond: fc.integer({ min: 0, max: 2 }),
  /** The time between two batches that agent and network need, by agent. */
  delaysMs: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 20, maxLength: 20 }),
});

type PaceScenario = typeof scenes extends fc.Arbitrary<infer T> ? T : never;

interface QueuedBatch {
  readonly agent: number;
  readonly records: number;
  readonly isNew: boolean;
  readonly sinceMs: number;
}

const slots = 2;
const newRecords = 100;

/** The same numbers from 0 to 1 in each run. */
function createRandom(): () => number {
  let seed = 1;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}

/** Plays a scene in steps of a millisecond: a queue in the order of arrival, two batches in work, one of an agent. */
function play({ agents, batches, storeMs, threadMs, newPerSecond, delaysMs }: PaceScenario, endMs: number) {
  const left = Array.from({ length: agents }, () => batches * batchRecords);
  const sendAtMs = Array.from({ length: agents }, () => 0);
  const paces = Array.from({ length: agents }, () => firstPace);
  const drainedMs = Array.from({ length: agents }, () => Number.POSITIVE_INFINITY);
  const newWaits: number[] = [];
  const queue: QueuedBatch[] = [];
  const work = new Map<
    number,
    { readonly job: QueuedBatch; readonly doneMs: number; readonly storedMs: number }
  >();
  /** Milliseconds that the thread worked in each second. */
  const worked: number[] = [];
  const random = createRandom();
  let nowMs = 0;
  for (; nowMs < endMs && drainedMs.some((at) => at === Number.POSITIVE_INFINITY); nowMs += 1) {
    for (const [agent, { job, doneMs, storedMs }] of [...work]) {
      if (doneMs > nowMs) continue;
      work.delete(agent);
      const second = Math.floor(nowMs / 1000);
      worked[second] = (worked[second] ?? 0) + (job.records * threadMs) / 1000;
      if (job.isNew) {
        newWaits.push(nowMs - job.sinceMs);
        continue;
      }
      left[agent] = (left[agent] ?? 0) - job.records;
      if ((left[agent] ?? 0) <= 0) drainedMs[agent] = nowMs;
      const load = {
        storedMs,
        tookMs: nowMs - job.sinceMs,
        waitingBatches: queue.length,
        busyPermille: Math.min(1000, Math.round(worked[second - 1] ?? 0)),
      };
      const before = paces[agent] ?? firstPace;
      const pace = backlogPace(load, { ...before, records: job.records, ackMs: nowMs - job.sinceMs });
      sendAtMs[agent] = nowMs + spreadPause(pace.pauseMs, random()) + (delaysMs[agent] ?? 0);
      paces[agent] = pace;
    }
    for (let agent = 0; agent < agents; agent += 1) {
      if ((left[agent] ?? 0) > 0 && (sendAtMs[agent] ?? 0) <= nowMs) {
        sendAtMs[agent] = Number.POSITIVE_INFINITY;
        const records = Math.min(left[agent] ?? 0, paces[agent]?.records ?? 0);
        queue.push({ agent, records, isNew: false, sinceMs: nowMs });
      }
      if (newPerSecond > 0 && (nowMs + agent * 37) % Math.round(1000 / newPerSecond) === 0)
        queue.push({ agent, records: newRecords, isNew: true, sinceMs: nowMs });
    }
    for (let at = 0; at < queue.length && work.size < slots; ) {
      const job = queue[at];
      if (job === undefined || work.has(job.agent)) {
        at += 1;
        continue;
      }
      queue.splice(at, 1);
      const storedMs = storeMs.batch + Math.round((storeMs.thousand * job.records) / 1000);
      work.set(job.agent, { job, doneMs: nowMs + storedMs, storedMs });
    }
  }
  return { drainedMs, newWaits, worked };
}

/** Milliseconds of the two slots that the new records of a second need, of 2,000. */
function newLoad({ agents, newPerSecond, storeMs }: PaceScenario): number {
  return agents * newPerSecond * (storeMs.batch + (storeMs.thousand * newRecords) / 1000);
}

describe('agents with a backlog each on one controller', () => {
  const runs = { numRuns: 60 };

  test('every backlog drains within a bounded multiple of what the controller needs at least', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        fc.pre(newLoad(scene) < 800);
        const { agents, batches, storeMs, threadMs } = scene;
        const records = agents * batches * batchRecords;
        const fraction = Math.min(slots, agents) - newLoad(scene) / 1000;
        const storingMs =
          (records * (storeMs.batch / batchRecords + storeMs.thousand / 1000)) / Math.max(0.5, fraction);
        // The thread is to be busy for half of the time and a bit.
        const threadTimeMs = (records * threadMs) / 1000 / 0.5;
        const roundsMs = batches * 200;
        const boundMs = 5_000 + roundsMs + 3 * Math.max(storingMs, threadTimeMs);
        const { drainedMs } = play(scene, 4 * boundMs);
        expect(Math.max(...drainedMs)).toBeLessThan(boundMs);
      }),
      runs,
    );
  });

  test('agents with the same backlog are done at about the same time, whatever the line of each', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        fc.pre(newLoad(scene) < 800 && scene.agents > 1);
        const even = { ...scene, delaysMs: scene.delaysMs.map((ms) => 5 + (ms % 10)) };
        const { drainedMs } = play(even, 3_600_000);
        // Pauses are random: of 6,000 scenarios the maximum was 1.8 times the mean.
        const meanMs = drainedMs.reduce((sum, ms) => sum + ms, 0) / drainedMs.length;
        expect(Math.max(...drainedMs)).toBeLessThan(5_000 + 2.5 * meanMs);
      }),
      runs,
    );
  });

  test('the controller’s thread keeps time for the API after the first seconds, however fast the database is', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const hard = { ...scene, threadMs: 15 + (scene.threadMs % 15), newPerSecond: 0 };
        const { worked } = play({ ...hard, batches: scene.batches * 4 }, 60_000);
        const later = worked.slice(10, -1).map((ms) => Math.min(1000, ms));
        // The pace swings around its aim; a few seconds alone may lie above it.
        fc.pre(later.length >= 10);
        const mean = later.reduce((sum, ms) => sum + ms, 0) / later.length;
        expect(mean).toBeLessThan(850);
      }),
      runs,
    );
  });

  test('new results wait behind a short queue, also while twenty agents drain', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        fc.pre(newLoad(scene) < 800 && scene.newPerSecond > 0);
        const { newWaits } = play(scene, 600_000);
        const sorted = newWaits.sort((a, b) => a - b);
        const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
        // One batch of each other agent over two slots, the own one, and what is in work.
        const batchMs = scene.storeMs.batch + scene.storeMs.thousand / 2;
        expect(p99).toBeLessThan(200 + batchMs * (scene.agents / slots + 2));
      }),
      runs,
    );
  });
});
