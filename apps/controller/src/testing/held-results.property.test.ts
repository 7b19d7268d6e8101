import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { runRequests } from '../agents/run-requests/index.ts';
import { locationVisibility } from '../catalog/locations/visibility-store.ts';
import { createHeldDrain, createIngest } from '../checks/ingest/index.ts';
import type { Fold } from '../checks/ingest/store-checks.ts';
import { batchOf, result } from '../checks/ingest/testing/ingest-fixture.ts';
import { rollUps } from '../checks/rollup/index.ts';
import { noWorkers } from '../platform/db/held/index.ts';
import { createPartitions, type Db } from '../platform/db/index.ts';
import { recordEvents } from '../status/events/record-events.ts';
import { createHealth, insertStates } from '../status/health/index.ts';
import { createFixtures } from './fixtures.ts';
import { useDatabase } from './use-database.ts';

const log = createLog('held results', 'silent');
const clock = createFakeClock(Date.UTC(2027, 2, 14, 12) * 1000);
const secondUs = 1_000_000;
let db: Db;
useDatabase(async (opened) => {
  db = opened;
  await createPartitions({ db, clock, log, retentionDays: 3 }).ensure();
});

/** An agent with two devices, and the steps of a controller whose history may be away. */
async function createSide() {
  const { kysely } = db;
  const rows = createFixtures(kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const { agentNo } = await rows.agent({ accountNo, locationNo });
  const times = { created_us: clock.nowUs(), changed_us: clock.nowUs() };
  const deviceNos: number[] = [];
  for (const retries of [0, 2]) {
    const deviceNo = await rows.device(accountNo, [locationNo], { ...times, retries });
    await kysely.transaction().execute((trx) => insertStates(trx, [deviceNo], clock.nowUs()));
    await rows.hold({ deviceNo, agentNo, locationNo, fromUs: clock.nowUs() });
    deviceNos.push(deviceNo);
  }
  const health = createHealth({ clock, log, recordEvents, runRequests, locations: locationVisibility });
  const fold: Fold = (trx, inserted, nowUs, how) => health.fold(trx, inserted, nowUs, how);
  const workers = { ...noWorkers, isDistributed: true, isAway: false, run: async () => {} };
  const partitions = { ensure: async () => {} };
  const storing = { db, clock, log, rollUps, runRequests, retentionDays: 3, partitions, fold, workers };
  return {
    agentNo,
    accountNo,
    deviceNos,
    workers,
    ingest: createIngest(storing),
    held: createHeldDrain(storing),
  };
}

type Side = Awaited<ReturnType<typeof createSide>>;

/** All that the results of a side led to, without the numbers of its devices. */
async function outcomeOf({ agentNo, deviceNos }: Side) {
  const { kysely } = db;
  const perDevice = await Promise.all(
    deviceNos.map(async (deviceNo) => ({
      checks: await kysely
        .selectFrom('checks')
        .select(['start_us', 'end_us', 'code', 'perf', 'check_result', 'arrived_us'])
        .where('device_no', '=', deviceNo)
        .orderBy('start_us')
        .execute(),
      intervals: await kysely
        .selectFrom('status_intervals')
        .select(['from_us', 'status'])
        .where('device_no', '=', deviceNo)
        .orderBy('from_us')
        .execute(),
      events: await kysely
        .selectFrom('events')
        .select(['type', 'status', 'at_us'])
        .where('device_no', '=', deviceNo)
        .orderBy('event_no')
        .execute(),
    })),
  );
  const { rows: counts } = await sql`
    select code, checks from check_counts where agent_no = ${agentNo} order by code`.execute(kysely);
  return { perDevice, counts };
}

const step = fc.record({
  /** The worker leaves or comes before the results do. */
  worker: fc.constantFrom('stays', 'stays', 'leaves', 'is back', 'is drained'),
  codes: fc.tuple(fc.constantFrom(1, 2, 9), fc.constantFrom(1, 2)),
  isRepeated: fc.boolean(),
  /** How many steps later the first device's result comes. */
  lateBy: fc.constantFrom(0, 0, 0, 2),
});

test('results that were held lead to the same checks, statuses and sums as stored ones, and without late ones to the same events', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const [control, side] = [await createSide(), await createSide()];
      const late: { readonly dueAt: number; readonly code: number; readonly atUs: number }[] = [];
      for (const [at, { worker, codes, isRepeated, lateBy }] of steps.entries()) {
        await clock.advance(20_000);
        if (worker === 'leaves') side.workers.isAway = true;
        if (worker === 'is back' || worker === 'is drained') side.workers.isAway = false;
        if (worker === 'is drained') await side.held.drain();
        const atUs = clock.nowUs() - secondUs;
        const due = late.filter(({ dueAt }) => dueAt === at);
        if (lateBy > 0) late.push({ dueAt: at + lateBy, code: codes[0], atUs });
        for (const each of [control, side]) {
          const [first = 0, second = 0] = each.deviceNos;
          const batch = batchOf(
            ...due.map(({ atUs: us, code }) =>
              result(first, us, { resultCode: code, checkResult: `${code}` }),
            ),
            ...(lateBy > 0
              ? []
              : [result(first, atUs, { resultCode: codes[0], checkResult: `${codes[0]}` })]),
            result(second, atUs, { resultCode: codes[1], checkResult: `${codes[1]}` }),
          );
          const sender = { agentNo: each.agentNo, accountNo: each.accountNo };
          const count = batch.records.length;
          expect(await each.ingest.accept(sender, batch)).toMatchObject({ inserted: count, quarantined: 0 });
          if (isRepeated) expect(await each.ingest.accept(sender, batch)).toMatchObject({ quarantined: 0 });
        }
      }
      side.workers.isAway = false;
      await side.held.drain();
      const [expected, got] = [await outcomeOf(control), await outcomeOf(side)];
      for (const { intervals } of got.perDevice) for (const { status } of intervals) seen.add(status);
      const withoutEvents = ({ perDevice, counts }: typeof got) => ({
        perDevice: perDevice.map(({ checks, intervals }) => ({ checks, intervals })),
        counts,
      });
      expect(withoutEvents(got)).toEqual(withoutEvents(expected));
      if (late.length === 0) expect(got).toEqual(expected);
    }),
    { numRuns: 10 },
  );
  expect(seen).toEqual(new Set(['Unknown', 'Up', 'Down']));
}, 300_000);

test('checks that are held where no history is distributed, as after a restore, are stored at the start', async () => {
  const side = await createSide();
  const { agentNo, accountNo, deviceNos } = side;
  const [deviceNo = 0] = deviceNos;
  const held = () =>
    db.kysely.selectFrom('held_checks').select('device_no').where('device_no', '=', deviceNo).execute();
  await clock.advance(20_000);
  side.workers.isAway = true;
  const batch = batchOf(result(deviceNo, clock.nowUs() - secondUs));
  expect(await side.ingest.accept({ agentNo, accountNo }, batch)).toMatchObject({ inserted: 1 });
  expect(await held()).toHaveLength(1);
  side.workers.isAway = false;
  side.workers.isDistributed = false;
  const ending = new AbortController();
  const running = side.held.run(ending.signal);
  try {
    await vi.waitFor(async () => expect(await held()).toEqual([]), 60_000);
    expect((await outcomeOf(side)).perDevice[0]?.checks).toHaveLength(1);
  } finally {
    ending.abort();
    await running;
  }
});
