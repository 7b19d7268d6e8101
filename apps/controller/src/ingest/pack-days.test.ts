import { dayUs } from '@vantage/domain';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startOfDay } from '../db/index.ts';
import { createFixtures } from '../testing/fixtures.ts';
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

test('a call packs at most 500 days of devices, and the next one goes on where it ended', async () => {
  const { agentNo: agent_no, accountNo, locationNo: location_no } = bench.sender;
  const rows = createFixtures(bench.db.kysely);
  const nowUs = clock.nowUs();
  const days = [3, 2].map((ago) => startOfDay(nowUs) - ago * dayUs);
  const checks: CheckRow[] = [];
  for (let i = 0; i < 251; i += 1) {
    const device_no = await rows.device(accountNo, []);
    for (const start_us of days)
      checks.push({
        device_no,
        start_us,
        agent_no,
        location_no,
        revision: 1,
        end_us: start_us,
        arrived_us: start_us,
        attempt: 0,
        code: 1,
        perf: 0,
        block_ms: 0,
        dns_ms: 0,
        connect_ms: 0,
        ssl_ms: 0,
        ttfb_ms: 0,
        ttlb_ms: 0,
        data_size: 0,
        check_result: 'ok',
        retry_id: null,
        run_request_id: null,
        extended: null,
        behind_anchor: null,
      });
  }
  await bench.db.kysely.transaction().execute((trx) => insertChecks(trx, checks));
  let statements = 0;
  const kysely = bench.db.kysely.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result: found }) => found,
  });
  const packer = createDayPacker({
    db: { ...bench.db, kysely },
    clock: { ...clock, nowUs: () => nowUs },
    log,
    afterDays: 1,
    retentionDays: 3,
    rolledToUs: async () => nowUs,
  });
  expect([await packer.run(), await packed()]).toEqual([false, 500]);
  statements = 0;
  expect([await packer.run(), await packed()]).toEqual([true, 502]);
  // Two days of devices, and the partitions of two days that get their space back.
  expect(statements).toBeLessThan(60);
  expect([await packer.run(), await packed()]).toEqual([true, 502]);
});
