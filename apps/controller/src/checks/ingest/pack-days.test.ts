import { dayUs } from '@vantage/domain';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startOfDay } from '../../platform/db/index.ts';
import { createFixtures } from '../../testing/fixtures.ts';
import { createDayPacker } from './pack-days.ts';
import { type CheckRow, insertChecks } from './rows.ts';
import { useIngestFixture } from './testing/ingest-fixture.ts';

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
    startsUs.map((start_us): CheckRow => {
      const times = { start_us, end_us: start_us, arrived_us: start_us };
      const phases = { block_ms: 0, dns_ms: 0, connect_ms: 0, ssl_ms: 0, ttfb_ms: 0, ttlb_ms: 0 };
      const none = { retry_id: null, run_request_id: null, extended: null, behind_anchor: null };
      const found = { revision: 1, attempt: 0, code: 1, perf: 0, data_size: 0, check_result: 'ok' };
      return { device_no, agent_no, location_no, ...times, ...phases, ...found, ...none };
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
    rolledToUs: async () => nowUs,
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
    // The first one in the transaction of the first device, after its locks.
    if (statements === 5) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
  });
  await expect(packer.run()).rejects.toThrow('deadlock detected');
  expect([await packer.run(), await packed()]).toEqual([true, 2]);
  expect((await bench.stored()).map((row) => row.device_no)).toEqual([damaged]);
});
