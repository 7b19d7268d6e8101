import { systemClock as clock, createLog } from '@vantage/kernel';
import { createDb, createPartitions, type Database } from '@vantage/storage';
import { distributeHistory } from '@vantage/storage/distribute';
import { createClusterDatabase } from '@vantage/testing/citus';
import { startCitus } from '@vantage/testing/citus-cluster';
import { createFixtures } from '@vantage/testing/fixtures';
import { inDatabase, withClient } from '@vantage/testing/postgres-url';
import { setUp } from '@vantage/testing/set-up';
import { sql } from 'kysely';
import { makeManyDevices } from '../../apps/controller/src/catalog/devices/testing/many-devices.ts';
import { createDayPacker } from '../../apps/controller/src/results/ingest/index.ts';
import { rollUps } from '../../apps/controller/src/results/roll-up/index.ts';
import { usage, withChildren } from './processes.ts';
import { type RestProcess, startRestProcess } from './rest-process.ts';

/** Devices of the database, and the days of their history, a check each ten minutes. */
const [devices, days, intervalUs] = [250, 7, 600_000_000];
export const retentionDays = days + 3;
/** Two for each core of four workers with two. */
const shards = 16;
const dayUs = 86_400_000_000;
const log = createLog('bench', 'error');

/** The servers of a history: one PostgreSQL, or a cluster. */
export interface Layout {
  readonly name: string;
  readonly db: Database;
  readonly rest: RestProcess;
  /** Ids of devices with a week of checks. */
  readonly deviceIds: readonly string[];
  /** Packed days of devices that were packed in a second. */
  readonly packedPerS: number;
  /** Bytes of the packed days of each server that has some, and of them for a packed check. */
  readonly packed: { readonly bytes: readonly number[]; readonly perCheck: number };
  /** CPU seconds of all its servers. */
  cpuS(): { readonly all: number; readonly coordinator: number };
}

/** Layouts on the same machine. */
export interface Layouts extends AsyncDisposable {
  /** The first one is PostgreSQL without Citus. */
  readonly all: readonly [Layout, ...Layout[]];
  /** Writes the changed pages of all servers, so that none of it falls into a measurement. */
  checkpoint(): Promise<void>;
}

/**
 * Fills the same database on PostgreSQL alone and on Citus with each of these numbers of workers, with a history that
 * ends at `nowUs`. All servers have PostgreSQL 15 and the same settings. A text says why this machine has no Citus.
 */
export async function startLayouts(nowUs: number, workers: readonly number[]): Promise<Layouts | string> {
  await using resources = new AsyncDisposableStack();
  const settings = { fsync: 'on', max_connections: 300, max_prepared_transactions: 300, max_wal_size: '2GB' };
  const cluster = await startCitus({ workers: Math.max(...workers), settings });
  if (typeof cluster === 'string') return cluster;
  resources.use(cluster);
  const plain = await cluster.addPlain();
  const all: [Layout, ...Layout[]] = [
    resources.use(await startLayout({ name: 'PostgreSQL alone', url: plain.url, pids: [plain.pid], nowUs })),
  ];
  for (const count of workers) {
    const some = cluster.workers.slice(0, count);
    const name = `citus_${count}`;
    const urls = some.map(({ url }) => url);
    await createClusterDatabase(cluster.coordinator, urls, name);
    const pids = [cluster.coordinatorPid, ...some.map(({ pid }) => pid)];
    const url = inDatabase(cluster.coordinator, name);
    all.push(resources.use(await startLayout({ name: `${count} workers`, url, pids, nowUs })));
  }
  const servers = [plain.url, cluster.coordinator, ...cluster.workers.map(({ url }) => url)];
  const owned = resources.move();
  return {
    all,
    async checkpoint() {
      for (const url of servers) await withClient(url, (client) => client.query('checkpoint'));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface Place {
  readonly name: string;
  readonly url: string;
  /** The server that the controller asks comes first. */
  readonly pids: readonly number[];
  readonly nowUs: number;
}

async function startLayout({ name, url, pids, nowUs }: Place): Promise<Layout & AsyncDisposable> {
  await using resources = new AsyncDisposableStack();
  const db = await createDb({ connection: { url }, log });
  resources.defer(() => db.close());
  await db.migrate();
  await createPartitions({ db, clock, log, retentionDays }).ensure();
  const { accountNo, locationNo } = await makeManyDevices(db, devices, nowUs);
  await addHistory(db, { accountNo, locationNo, nowUs });
  await rollUps.createRollUp({ db, clock, log }).run();
  const isPlain = name === 'PostgreSQL alone';
  if (!isPlain) await distributeHistory(db, { shards, say: () => {} });
  const packedPerS = await pack(db);
  await setUp(db.kysely, (connection) => sql`vacuum analyze`.execute(connection));
  const found = await db.kysely
    .selectFrom('devices')
    .select('device_id')
    .where('account_no', '=', accountNo)
    .orderBy('device_no')
    .execute();
  process.stderr.write(`${name}: the database is ready\n`);
  const rest = resources.use(await startRestProcess({ url, nowUs, accountNo }));
  const owned = resources.move();
  return {
    name,
    db,
    rest,
    deviceIds: found.map(({ device_id }) => device_id),
    packedPerS,
    packed: await packedSizes(db, isPlain),
    cpuS() {
      const [coordinator = 0, ...others] = pids.map(cpuOf);
      return { all: others.reduce((sum, each) => sum + each, coordinator), coordinator };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function cpuOf(pid: number): number {
  return withChildren(pid).reduce((sum, each) => sum + usage(each).cpuS, 0);
}

/** Packs each day that ended a day ago; returns the packed days of devices a second. */
async function pack(db: Database): Promise<number> {
  const packer = createDayPacker({
    db,
    clock,
    log,
    afterDays: 1,
    retentionDays,
    isRolledUp: async () => true,
  });
  const fromMs = performance.now();
  while (!(await packer.run()));
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from packed_checks`.execute(db.kysely);
  return (rows[0]?.n ?? 0) / ((performance.now() - fromMs) / 1000);
}

async function packedSizes({ kysely }: Database, isPlain: boolean): Promise<Layout['packed']> {
  const bytes = isPlain
    ? sql`select pg_total_relation_size('packed_checks')::bigint as bytes`
    : sql`select sum(shard_size)::bigint as bytes from citus_shards where table_name = 'packed_checks'::regclass
        group by nodename, nodeport order by nodeport`;
  const { rows } = await sql<{ bytes: number }>`${bytes}`.execute(kysely);
  const { rows: sums } = await sql<{ checks: number }>`
    select sum(checks)::bigint as checks from packed_checks`.execute(kysely);
  const all = rows.reduce((sum, row) => sum + row.bytes, 0);
  return { bytes: rows.map((row) => row.bytes), perCheck: all / (sums[0]?.checks ?? 0) };
}

/** Gives each device a week of good checks by one agent, and a Down of an hour a day. */
async function addHistory(
  { kysely }: Database,
  {
    accountNo,
    locationNo,
    nowUs,
  }: { readonly accountNo: number; readonly locationNo: number; readonly nowUs: number },
): Promise<void> {
  const { agentNo } = await createFixtures(kysely).agent({ accountNo, locationNo });
  const fromUs = nowUs - days * dayUs;
  const count = Math.floor((days * dayUs) / intervalUs);
  await setUp(kysely, async (connection) => {
    await sql`
      update devices set created_us = ${fromUs}::bigint, changed_us = ${fromUs}::bigint,
        frequency_min = ${intervalUs / 60_000_000}::int, device_id = md5(device_no::text) || left(md5('id ' || device_no), 16)`.execute(
      connection,
    );
    await sql`
      insert into check_facts (device_no, day_us, facts_no, digest, check_result)
      select device_no, day, 1, '\\x01', 'connected to 192.0.2.17:443'
      from devices, generate_series(${fromUs - (fromUs % dayUs)}::bigint, ${nowUs}::bigint, ${dayUs}::bigint) day`.execute(
      connection,
    );
    await sql`
      insert into check_rows (device_no, start_us, agent_no, location_small, arrived_after_us, revision_small, code, facts_no,
        block_small, connect_small, ttfb_small)
      select device_no, ${fromUs}::bigint + i * ${intervalUs}::bigint + device_no * 7919 % 600 * 1000000, ${agentNo}::int,
        ${locationNo}::int, 40000, 1, 1, 1, -32000, device_no * 7919 % 20000 - 28000 + i % 4000, i * 7919 % 30000 - 25000
      from generate_series(0, ${count - 1}::int) i, devices`.execute(connection);
    await sql`
      insert into status_intervals (device_no, from_us, status)
      select device_no, ${fromUs}::bigint + day * ${dayUs}::bigint + part * 3600000000::bigint + part * device_no * 1000000,
        case when part = 1 then 'Down' else 'Up' end
      from devices, generate_series(0, ${days - 1}::int) day, generate_series(0, 2) part
      where day > 0 or part = 0`.execute(connection);
    await sql`insert into coverage (agent_no, from_us, to_us) values (${agentNo}::int, ${fromUs}::bigint, ${nowUs}::bigint)`.execute(
      connection,
    );
    await sql`
      insert into assignment_spans (device_no, agent_no, location_no, from_us, rotation_index, rotation_size, retries_locally, run_immediately)
      select device_no, ${agentNo}::int, ${locationNo}::int, ${fromUs}::bigint, 0, 1, true, true from devices`.execute(
      connection,
    );
  });
}
