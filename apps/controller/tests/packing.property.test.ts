import { dayUs, hourUs, minuteUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createPartitions, type Database, startOfDay } from '@vantage/storage';
import { checksOfSpan } from '@vantage/storage/packed';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runRequests } from '../src/agents/run-requests/index.ts';
import { locationVisibility } from '../src/catalog/locations/visibility-store.ts';
import { listChecks } from '../src/reading/history/check-store.ts';
import { recordEvents } from '../src/results/events/record-events.ts';
import { createDayPacker, createIngest } from '../src/results/ingest/index.ts';
import type { Fold } from '../src/results/ingest/store-checks.ts';
import { batchOf, result } from '../src/results/ingest/testing/ingest-fixture.ts';
import { rollUps } from '../src/results/roll-up/index.ts';
import { createHealth, insertStates } from '../src/results/status/index.ts';

const log = createLog('packing', 'silent');
const beginUs = Date.UTC(2027, 2, 14) * 1000;
const retentionDays = 20;
const clock = createFakeClock(beginUs);
let db: Database;
useDatabase(async (opened) => {
  db = opened;
  await createPartitions({ db, clock, log, retentionDays }).ensure();
});

/** An agent with a device, and the steps of a controller. */
async function createSide() {
  const { kysely } = db;
  const rows = createFixtures(kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const { agentNo } = await rows.agent({ accountNo, locationNo });
  const times = { created_us: clock.nowUs(), changed_us: clock.nowUs() };
  const deviceNo = await rows.device(accountNo, [locationNo], { ...times, retries: 0 });
  await kysely.transaction().execute((trx) => insertStates(trx, [deviceNo], clock.nowUs()));
  await rows.hold({ deviceNo, agentNo, locationNo, fromUs: clock.nowUs() });
  const device = await kysely
    .selectFrom('devices')
    .select('device_id')
    .where('device_no', '=', deviceNo)
    .executeTakeFirstOrThrow();
  const health = createHealth({ clock, log, recordEvents, runRequests, locations: locationVisibility });
  const fold: Fold = (trx, inserted, nowUs) => health.fold(trx, inserted, nowUs);
  const partitions = createPartitions({ db, clock, log, retentionDays });
  const ingest = createIngest({ db, clock, log, rollUps, runRequests, retentionDays, partitions, fold });
  return { agentNo, accountNo, deviceNo, deviceId: device.device_id, ingest, partitions };
}

type Side = Awaited<ReturnType<typeof createSide>>;

/** Packs the days that ended a day ago. */
async function pack(): Promise<void> {
  const packer = createDayPacker({
    db,
    clock,
    log,
    afterDays: 1,
    retentionDays,
    isRolledUp: async () => true,
  });
  while (!(await packer.run()));
}

/** All that the results of a side led to, without its numbers. */
async function outcomeOf({ agentNo, accountNo, deviceNo, deviceId }: Side) {
  const { kysely } = db;
  const span = { deviceNo, fromUs: 0, toUs: clock.nowUs() + dayUs };
  const checks = (await checksOfSpan(kysely, span)).map(({ start_us, end_us, code, check_result }) => ({
    start_us,
    end_us,
    code,
    check_result,
  }));
  const pages: unknown[] = [];
  for (const offset of [0, 3, 7]) {
    const page = {
      fromUs: undefined,
      untilUs: undefined,
      locationNos: undefined,
      codes: undefined,
      perfs: undefined,
      before: undefined,
    };
    const found = await listChecks(db, { accountNo, deviceId }, { ...page, limit: 4, offset }, clock.nowUs());
    pages.push(found?.rows.map(({ start_us, code }) => [start_us, code]));
  }
  const ofDevice = <T>(rows: { readonly rows: readonly T[] }) => rows.rows;
  return {
    checks,
    pages,
    intervals: ofDevice(
      await sql`select from_us, status from status_intervals where device_no = ${deviceNo} order by from_us`.execute(
        kysely,
      ),
    ),
    events: ofDevice(
      await sql`select type, status, at_us from events where device_no = ${deviceNo} order by event_no`.execute(
        kysely,
      ),
    ),
    hours: ofDevice(
      await sql`select bucket_us, checks, errors, sum_ms from rollup_hourly where device_no = ${deviceNo} order by 1`.execute(
        kysely,
      ),
    ),
    counts: ofDevice(
      await sql`select code, checks from check_counts where agent_no = ${agentNo} order by code`.execute(
        kysely,
      ),
    ),
  };
}

const step = fc.record({
  hours: fc.constantFrom(1, 7, 26),
  code: fc.constantFrom(1, 1, 1, 2),
  /** How many steps later the result comes. */
  lateBy: fc.constantFrom(0, 0, 0, 3),
  /** A batch of some steps ago is sent once more. */
  isRepeated: fc.boolean(),
  isPacked: fc.boolean(),
});

test('property: results lead to the same checks, pages, statuses, events and sums, whenever days are packed, late and repeated ones too', async () => {
  let packed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const outcomes: unknown[] = [];
      const startUs = startOfDay(clock.nowUs()) + 2 * dayUs;
      await clock.advance((startUs - clock.nowUs()) / 1000);
      const sides = [await createSide(), await createSide()];
      const [control, side] = sides;
      if (control === undefined || side === undefined) throw new Error('no sides');
      await control.partitions.ensure();
      const sent: { readonly dueAt: number; readonly atUs: number; readonly code: number }[] = [];
      for (const [at, { hours, code, lateBy, isRepeated, isPacked }] of steps.entries()) {
        await clock.advance((hours * hourUs) / 1000);
        await control.partitions.ensure();
        sent.push({ dueAt: at + lateBy, atUs: clock.nowUs() - minuteUs, code });
        const due = sent.filter(({ dueAt }) => dueAt === at || (isRepeated && dueAt === at - 4));
        for (const each of sides) {
          const records = due.map((one) =>
            result(each.deviceNo, one.atUs, { resultCode: one.code, checkResult: `${one.code}` }),
          );
          const taken = await each.ingest.accept(each, batchOf(...records));
          expect(taken.quarantined).toBe(0);
        }
        await rollUps.createRollUp({ db, clock, log }).run();
        if (isPacked) await packWithout(control);
      }
      await rollUps.createRollUp({ db, clock, log }).run();
      for (const each of sides) outcomes.push(await outcomeOf(each));
      const { rows } = await sql`select from packed_checks where device_no = ${side.deviceNo}`.execute(
        db.kysely,
      );
      packed += rows.length;
      expect(outcomes[1]).toEqual(outcomes[0]);
    }),
    { numRuns: 8 },
  );
  expect(packed).toBeGreaterThan(0);
}, 300_000);

/** Packs all days but those of this side, whose rows are out of the packer's sight meanwhile. */
async function packWithout({ deviceNo }: Side): Promise<void> {
  const rename = (from: number, to: number) =>
    sql`update check_rows set device_no = ${to} where device_no = ${from}`.execute(db.kysely);
  await rename(deviceNo, -deviceNo);
  await pack();
  await rename(-deviceNo, deviceNo);
}
