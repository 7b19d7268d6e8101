import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { startCitus } from '../../../../../../tests/harness/citus-cluster.ts';
import { setUp } from '../../../testing/set-up.ts';
import { createDb } from '../db.ts';
import { createPartitions } from '../partitions.ts';
import type { Tables } from '../schema.ts';
import { distributeHistory } from './distribute.ts';
import { historyFunctions } from './history-tables.ts';
import { planDistribution, workerStates } from './plan.ts';

const dayUs = 86_400_000_000;

/**
 * Calls each function of the history for a device. Resolves with the statements that went to one shard, and to several.
 */
function shardsAsked(kysely: Kysely<Tables>) {
  const calls = [
    'newest_checks(3, 0, 0, 2000000000000000, 1)',
    'newest_packed_day(3, 0)',
    'newest_verdicts(3, 0, 0, 0, 2000000000000000, 1)',
    'first_failures(3, 0, 0, 0, 2000000000000000, 1)',
    'checks_page(3, 0, 0, 2000000000000000, null, null, false, null, null, 1, 0)',
    'failed_checks(3, 0, 2000000000000000)',
  ];
  return kysely.connection().execute(async (connection) => {
    await sql`set citus.enable_stat_counters = on`.execute(connection);
    const read = async () => {
      const { rows } = await sql<{ one: number; several: number }>`
        select query_execution_single_shard::int as one, query_execution_multi_shard::int as several from citus_stat_counters
        where name = current_database()`.execute(connection);
      return rows[0] ?? { one: 0, several: 0 };
    };
    const before = await read();
    for (const call of calls) await sql.raw(`select * from ${call}`).execute(connection);
    const after = await read();
    return { one: after.one - before.one, several: after.several - before.several };
  });
}

async function functionTexts(kysely: Kysely<Tables>): Promise<readonly unknown[]> {
  const names = historyFunctions.map(({ name }) => name);
  const { rows } =
    await sql`select proname, prosrc, xmin::text from pg_proc where proname = any(${names}) order by 1`.execute(
      kysely,
    );
  return rows;
}

test('a cluster without workers is refused until its coordinator takes shards; then the history is distributed over it alone', {
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
    const insert = (device: number) =>
      sql`insert into check_rows (device_no, start_us, agent_no, location_no, arrived_after_us, revision, code)
        values (${device}::int, ${clock.nowUs()}::bigint, 1, 1, 0, 1, 1)`.execute(db.kysely);
    for (let device = 1; device <= 10; device += 1) await insert(device);
    await sql`select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) from pg_dist_node`.execute(
      db.kysely,
    );
    const { workers, tables } = await distributeHistory(db, { shards: 2, say: () => {}, log });
    expect(workers).toEqual([new URL(cluster.coordinator).host]);
    expect(tables.every(({ done }) => done)).toBe(true);
    expect(await workerStates(db.kysely)).toEqual([{ worker: workers[0], isUp: true }]);
    expect(await shardsAsked(db.kysely)).toEqual({ one: historyFunctions.length, several: 0 });
    // A start reads the view anew and changes nothing else.
    const texts = await functionTexts(db.kysely);
    await db.migrate();
    expect(await functionTexts(db.kysely)).toEqual(texts);
    // The partitions of new days are made and those of old ones dropped there, too.
    await clock.advance((3 * dayUs) / 1000);
    await partitions.ensure();
    await insert(1);
    const stored = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from checks`.execute(db.kysely)).rows[0]?.n;
    expect(await stored()).toBe(11);
    while ((await partitions.drop(clock.nowUs())).length > 0);
    expect(await stored()).toBe(1);
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
    expect(await stored()).toBe(1);
  } finally {
    await db.close();
  }
});
