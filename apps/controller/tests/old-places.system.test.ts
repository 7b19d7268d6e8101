// Version 0.3.0 distributed checks and roll-ups to the workers of a Citus cluster. They come back.
import { createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { areHotTablesDistributed, distributeHistory, planDistribution } from '@vantage/storage/distribute';
import type { Tables } from '@vantage/storage/tables';
import { setUp } from '@vantage/testing/set-up';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { result } from '../src/results/ingest/testing/ingest-fixture.ts';
import {
  type ClusterScene,
  deviceCount,
  differing,
  failedOf,
  slow,
  startClusterScene,
} from '../src/testing/cluster-scene.ts';

let scene: ClusterScene | string;

beforeAll(async () => {
  scene = await startClusterScene();
}, slow.timeout);

afterAll(async () => {
  if (typeof scene !== 'string') await scene[Symbol.asyncDispose]();
});

const hotTables = ['check_rows', 'check_facts', 'rollup_hourly', 'rollup_daily'];

/** Distributes what version 0.3.0 distributed, as it did. */
async function placeAsVersion03(kysely: Kysely<Tables>): Promise<void> {
  await setUp(kysely, async (connection) => {
    for (const statement of [
      'drop schema if exists vantage_scoped cascade',
      `select create_distributed_function('insert_check()'), create_distributed_function('update_check()')`,
      `select create_distributed_table('check_rows', 'device_no', shard_count => 4, colocate_with => 'none')`,
      ...[...hotTables.slice(1), 'packed_checks'].map(
        (table) => `select create_distributed_table('${table}', 'device_no', colocate_with => 'check_rows')`,
      ),
      ...[...hotTables, 'packed_checks'].map(
        (table) => `select truncate_local_data_after_distributing_table('${table}')`,
      ),
    ])
      await sql.raw(statement).execute(connection);
  });
}

/** Rows and a digest of each table of the history. */
async function tableSums({ kysely }: { readonly kysely: Kysely<Tables> }) {
  const sums: Record<string, { readonly count: number; readonly digest: string }> = {};
  for (const table of [...hotTables, 'packed_checks']) {
    const { rows } = await sql<{ count: number; digest: string }>`
      select count(*)::int as count, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as digest
      from ${sql.table(table)} t`.execute(kysely);
    if (rows[0] !== undefined) sums[table] = rows[0];
  }
  return sums;
}

test(
  'an installation that version 0.3.0 distributed starts, says what to do, stores results, folds them and sends alerts',
  async ({ skip }) => {
    if (typeof scene === 'string') return skip(scene);
    const { db, clock, contact, reader, recorded, failing, well, ingest } = scene;
    const sums = await tableSums(db);
    await placeAsVersion03(db.kysely);
    const logged: string[] = [];
    const log = createLog('start', 'warn', { write: (line) => void logged.push(line) });
    const started = await createDb({ connection: { url: scene.cluster.coordinator }, log });
    await started.migrate();
    await started.close();
    expect(logged.join('')).toContain('run \\"./vantage database distribute --yes\\"');
    expect(await areHotTablesDistributed(db.kysely)).toBe(true);
    expect(await tableSums(db)).toEqual(sums);
    for (const resultCode of [2, 2, 1]) {
      await clock.advance(60_000);
      const us = clock.nowUs() - 1_000_000;
      const records = recorded.devices.map(({ deviceNo }) =>
        result(deviceNo, us, { resultCode: deviceNo === failing.deviceNo ? resultCode : 1 }),
      );
      expect(await ingest(...records)).toEqual({ inserted: deviceCount, repeated: 0, quarantined: 0 });
      expect(await ingest(...records)).toEqual({ inserted: 0, repeated: deviceCount, quarantined: 0 });
      await contact.decide();
      for (const runRequestId of await reader.requestsFor(well.deviceNo))
        await ingest(result(well.deviceNo, us + 100_000, { runRequestId }));
      await clock.advance(10_000);
      await contact.decide();
    }
    expect(await contact.messagesAbout(failing.deviceNo)).toEqual(['device.down', 'device.up']);
  },
  slow.timeout,
);

test(
  '"database distribute" moves it back, also after a kill, and every row and answer is there',
  async ({ skip }) => {
    if (typeof scene === 'string') return skip(scene);
    const { db, clock, well, ingest, answers } = scene;
    const sums = await tableSums(db);
    const plan = await planDistribution(db.kysely);
    expect(plan.tables.map(({ done }) => done)).toEqual([true, false, false, false, false]);
    expect(plan.tables.find(({ table }) => table === 'check_rows')?.bytes).toBeGreaterThan(0);
    const said: string[] = [];
    const killed = distributeHistory(db, {
      shards: 4,
      say(line) {
        said.push(line);
        if (said.length === 2) throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await tableSums(db)).toEqual(sums);
    // Between two calls results are stored, too.
    expect(await ingest(result(well.deviceNo, clock.nowUs() - 1_000))).toMatchObject({ inserted: 1 });
    const then = await tableSums(db);
    await distributeHistory(db, { shards: 4, say: (line) => void said.push(line) });
    expect(said).toEqual([
      '1 of 3: the rows of check_rows and check_facts go back to the coordinator; writers wait',
      '2 of 3: the rows of rollup_hourly go back to the coordinator; writers wait',
      '1 of 2: the rows of rollup_hourly go back to the coordinator; writers wait',
      '2 of 2: the rows of rollup_daily go back to the coordinator; writers wait',
    ]);
    expect(await areHotTablesDistributed(db.kysely)).toBe(false);
    expect(await tableSums(db)).toEqual(then);
    // Everything reads and writes as before, also through the view and for callers who are limited to tags.
    const here = await answers();
    expect(failedOf(here)).toEqual([]);
    await db.migrate();
    expect(differing(here, await answers())).toEqual([]);
    const { numAffectedRows } = await sql`
      insert into checks (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
        dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result)
      select device_no, start_us + 1, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms, dns_ms,
        connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result from checks order by start_us desc limit 1`.execute(
      db.kysely,
    );
    expect(numAffectedRows).toBe(1n);
    const { rows: views } = await sql`
      select viewname from pg_views where schemaname = 'vantage_scoped' and viewname in ('checks', 'check_rows')`.execute(
      db.kysely,
    );
    expect(views).toHaveLength(2);
  },
  slow.timeout,
);
