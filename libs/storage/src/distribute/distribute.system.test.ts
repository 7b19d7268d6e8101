import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { startCitus } from '@vantage/testing/citus-cluster';
import { setUp } from '@vantage/testing/set-up';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDb } from '../db.ts';
import { createPartitions } from '../partitions/partitions.ts';
import { distributeHistory } from './distribute.ts';
import { planDistribution, workerStates } from './distribution-plan.ts';
import { areHotTablesDistributed, isDistributed } from './history-tables.ts';

const dayUs = 86_400_000_000;

test('a cluster without workers is refused until its coordinator takes shards; then packed days are distributed over it alone, and later to a worker', {
  timeout: 300_000,
}, async ({ skip }) => {
  const cluster = await startCitus({ workers: 0 });
  if (typeof cluster === 'string') return skip(cluster);
  await using _cluster = cluster;
  const log = createLog('coordinator test', 'silent');
  const clock = createFakeClock(1_790_000_000_000_000);
  const db = await createDb({ connection: { url: cluster.coordinator }, log });
  try {
    await db.migrate();
    const partitions = createPartitions({ db, clock, log, retentionDays: 2 });
    await partitions.ensure();
    await expect(planDistribution(db.kysely)).rejects.toMatchObject({
      code: 'no_workers',
      message: expect.stringContaining(`'shouldhaveshards', true`),
    });
    const insert = (device: number, day: number) =>
      sql`insert into packed_checks (device_no, day_us, checks, first_us, last_us, last_result, marks, facts)
        values (${device}::int, ${day}::bigint, 1, ${day}, ${day}, '', '', '')`.execute(db.kysely);
    for (let device = 1; device <= 10; device += 1) await insert(device, 0);
    await sql`select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) from pg_dist_node`.execute(
      db.kysely,
    );
    const { workers, tables } = await distributeHistory(db, { shards: 2, say: () => {} });
    expect(workers).toEqual([new URL(cluster.coordinator).host]);
    expect(tables.every(({ done }) => done)).toBe(true);
    expect(await workerStates(db.kysely)).toEqual([{ worker: workers[0], isUp: true }]);
    expect(await areHotTablesDistributed(db.kysely)).toBe(false);
    // A start changes nothing.
    await db.migrate();
    expect(await isDistributed(db.kysely)).toBe(true);
    await partitions.ensure();
    await insert(1, dayUs);
    const stored = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from packed_checks`.execute(db.kysely)).rows[0]?.n;
    expect(await stored()).toBe(11);
    // Later a worker takes them over.
    await cluster.addWorker();
    await sql`select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) from pg_dist_node where groupid = 0`.execute(
      db.kysely,
    );
    await setUp(db.kysely, async (connection) => {
      await sql`select citus_rebalance_start(shard_transfer_mode => 'block_writes')`.execute(connection);
      await sql`select citus_rebalance_wait()`.execute(connection);
    });
    const { rows } = await sql<{ groupid: number }>`select distinct groupid from pg_dist_placement`.execute(
      db.kysely,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.groupid).not.toBe(0);
    expect(await stored()).toBe(11);
  } finally {
    await db.close();
  }
});
