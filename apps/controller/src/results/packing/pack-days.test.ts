import { dayUs, hourUs } from '@vantage/domain';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { startOfDay } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { goodCheck } from '@vantage/testing/good-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertChecks } from '../ingest/insert-checks.ts';
import { batchOf, result, useIngestFixture } from '../ingest/testing/ingest-fixture.ts';
import { rollUps } from '../roll-up/index.ts';
import { createDayPacker } from './pack-days.ts';

const bench = useIngestFixture();
const log = createLog('pack days test', 'silent');

async function packed(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from packed_checks`.execute(
    bench.db.kysely,
  );
  return rows[0]?.n ?? 0;
}

/** Stores a good check of each of these devices at each of these moments. */
async function store(deviceNos: readonly number[], startsUs: readonly number[]) {
  const { agentNo: agent_no, locationNo: location_no } = bench.sender;
  const checks = deviceNos.flatMap((device_no) =>
    startsUs.map((startUs) => {
      const phases = { dns_ms: 0, connect_ms: 0, ssl_ms: 0, ttfb_ms: 0 };
      return goodCheck(startUs, { device_no, agent_no, location_no, ...phases });
    }),
  );
  await bench.db.kysely.transaction().execute((trx) => insertChecks(trx, checks));
}

/** A packer whose statements are noted before they are sent. */
function packerAt(nowUs: number, onStatement: () => void) {
  const kysely = bench.db.kysely.withPlugin({
    transformQuery: ({ node }) => {
      onStatement();
      return node;
    },
    transformResult: async ({ result: found }) => found,
  });
  return createDayPacker({
    db: { ...bench.db, kysely },
    clock: { ...clock, nowUs: () => nowUs },
    log,
    afterDays: 1,
    retentionDays: 3,
    isRolledUp: async () => true,
  });
}

test('a call packs at most 500 days of devices, and the next one goes on where it ended', async () => {
  const rows = createFixtures(bench.db.kysely);
  const nowUs = clock.nowUs();
  const deviceNos: number[] = [];
  for (let i = 0; i < 251; i += 1) deviceNos.push(await rows.device(bench.sender.accountNo, []));
  await store(
    deviceNos,
    [3, 2].map((ago) => startOfDay(nowUs) - ago * dayUs),
  );
  let statements = 0;
  const packer = packerAt(nowUs, () => {
    statements += 1;
  });
  expect([await packer.run(), await packed()]).toEqual([false, 500]);
  statements = 0;
  expect([await packer.run(), await packed()]).toEqual([true, 502]);
  // Two days of devices, and the partitions of two days that get their space back.
  expect(statements).toBeLessThan(60);
  expect([await packer.run(), await packed()]).toEqual([true, 502]);
});

test('a day that cannot be packed stays rows and stops no other; an error that may pass ends the call', async () => {
  await sql`delete from packed_checks`.execute(bench.db.kysely);
  const nowUs = clock.nowUs();
  const dayBeginUs = startOfDay(nowUs) - 2 * dayUs;
  const [damaged = 0, fine = 0] = bench.deviceNos;
  await store([damaged, fine], [dayBeginUs]);
  await sql`insert into packed_checks values (${damaged}, ${dayBeginUs}::bigint, 1, 1, 1, '', '', '\\x0102')`.execute(
    bench.db.kysely,
  );
  let statements = 0;
  const packer = packerAt(nowUs, () => {
    statements += 1;
    // The first one in the transaction of the first device.
    if (statements === 2) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
  });
  await expect(packer.run()).rejects.toThrow('deadlock detected');
  expect([await packer.run(), await packed()]).toEqual([true, 2]);
  expect((await bench.stored()).map((row) => row.device_no)).toEqual([damaged]);
});

test('a day waits while an hour of it waits to be rolled up, and its sums then contain the late result', async () => {
  const { kysely } = bench.db;
  for (const table of ['packed_checks', 'check_rows', 'rollup_dirty', 'job_cursors'])
    await sql`delete from ${sql.table(table)}`.execute(kysely);
  const nowUs = clock.nowUs();
  const [device = 0] = bench.deviceNos;
  // The fixture's agent has had its devices for two days.
  const dayBeginUs = startOfDay(nowUs) - dayUs;
  const firstUs = dayBeginUs + 3 * hourUs;
  const atUs = dayBeginUs + 2 * dayUs + hourUs;
  const packer = createDayPacker({
    db: bench.db,
    clock: { ...clock, nowUs: () => atUs },
    log,
    afterDays: 1,
    retentionDays: 3,
    isRolledUp: rollUps.isRolledUp,
  });
  await store([device], [firstUs]);
  expect([await packer.run(), await packed()], 'nothing is rolled up').toEqual([false, 0]);
  const rollUp = rollUps.createRollUp({ db: bench.db, clock: { ...clock, nowUs: () => atUs }, log });
  await rollUp.run();
  await bench.ingestWith().accept(bench.sender, batchOf(result(device, firstUs + 1)));
  await rollUps.addDirtyHours(kysely, [firstUs]);
  expect([await packer.run(), await packed()], 'a late result waits').toEqual([false, 0]);
  await sql`delete from rollup_dirty`.execute(kysely);
  await sql`insert into job_cursors values (${`roll-up doing ${firstUs}`}, ${firstUs}::bigint)`.execute(
    kysely,
  );
  expect([await packer.run(), await packed()], 'the hour is in work').toEqual([false, 0]);
  await rollUp.run();
  expect([await packer.run(), await packed()]).toEqual([true, 1]);
  const sums = await kysely
    .selectFrom('rollup_hourly')
    .select('checks')
    .where('device_no', '=', device)
    .execute();
  expect(sums).toEqual([{ checks: 2 }]);
});
