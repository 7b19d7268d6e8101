import { randomBytes } from 'node:crypto';
import { checkId, dayUs, hourUs, minuteUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CitusCluster, startCitus } from '../../../../tests/harness/citus-cluster.ts';
import { type OneAccount, startOneAccount } from '../api/testing/one-account.ts';
import { locationVisibility } from '../catalog/locations/visibility-store.ts';
import { distributeHistory, planDistribution } from '../db/distribute/index.ts';
import { createWorkerWatch, type WorkerWatch } from '../db/held/index.ts';
import { createDb, createPartitions, type Db, startOfDay } from '../db/index.ts';
import { sampleDay } from '../db/packed/testing/sample-day.ts';
import { recordEvents } from '../events/index.ts';
import { createHealth, createRestHealth } from '../health/index.ts';
import type { Fold } from '../ingest/fold.ts';
import { createDayPacker, createHeldDrain, createIngest } from '../ingest/index.ts';
import { insertChecks } from '../ingest/rows.ts';
import { batchOf, result } from '../ingest/testing/ingest-fixture.ts';
import { rollUps } from '../rollup/index.ts';
import { runRequests } from '../run-requests/index.ts';
import { createSealer } from '../secrets/seal.ts';
import { createFixtures } from './fixtures.ts';

const log = createLog('distributed history test', 'silent');
const clock = createFakeClock(1_790_000_000_000_000);
/** Two of these days are packed. */
const [days, retentionDays] = [4, 5];
const methods = ['TCP', 'HTTP', 'PING'] as const;
let cluster: CitusCluster | string;
let one: OneAccount;
let db: Db;
let agentNo = 0;
const devices: { readonly deviceNo: number; readonly deviceId: string }[] = [];
/** A check that is a row, of each device. */
const checkIds: string[] = [];

beforeAll(async () => {
  cluster = await startCitus();
  if (typeof cluster === 'string') return;
  const url = cluster.coordinator;
  db = await createDb({ connection: { url }, log });
  await db.migrate();
  const database = { url, [Symbol.asyncDispose]: async () => {} };
  one = await startOneAccount({
    beside: { database, clock, sealer: createSealer(randomBytes(32)) },
    health: ({ kysely }) => createRestHealth({ kysely, recordEvents, clock }),
  });
  await createPartitions({ db, clock, log, retentionDays }).ensure();
  await recordDays();
}, 300_000);

afterAll(async () => {
  if (typeof cluster === 'string') return;
  await one[Symbol.asyncDispose]();
  await db.close();
  await cluster[Symbol.asyncDispose]();
});

/** The days of all devices: packed ones, rows, roll-ups, an outage of today. */
async function recordDays(): Promise<void> {
  const { accountNo, locationNo } = one;
  const make = createFixtures(db.kysely);
  ({ agentNo } = await make.agent({ accountNo, locationNo }));
  const firstUs = startOfDay(clock.nowUs() - days * dayUs);
  for (const method of methods) {
    const deviceId = await one.create('/devices', { Method: 'TCP', URL: 'a.example:1', ShortName: method });
    const { device_no: deviceNo } = await db.kysely
      .updateTable('devices')
      .set({ created_us: firstUs, changed_us: firstUs, retries: 0 })
      .where('device_id', '=', deviceId)
      .returning('device_no')
      .executeTakeFirstOrThrow();
    await make.hold({ deviceNo, agentNo, locationNo, fromUs: firstUs });
    devices.push({ deviceNo, deviceId });
    for (let day = firstUs; day < startOfDay(clock.nowUs()); day += dayUs) {
      const rows = sampleDay(method, { deviceNo, dayUs: day, checks: 48, agentNo, locationNo });
      await db.kysely.transaction().execute((trx) => insertChecks(trx, rows));
      const last = rows.at(-1);
      if (last !== undefined && day > clock.nowUs() - 2 * dayUs)
        checkIds.push(checkId({ deviceNo, startUs: last.start_us, agentNo }));
    }
  }
  await rollUps.createRollUp({ db, clock: createFakeClock(clock.nowUs() - dayUs), log }).run();
  await pack();
  const bad = { resultCode: 2, checkResult: 'no answer' };
  for (let ago = 5; ago > 0; ago -= 1)
    await ingest(
      ...devices.map(({ deviceNo }, i) =>
        result(deviceNo, clock.nowUs() - ago * minuteUs, i === 0 ? bad : {}),
      ),
    );
}

async function pack(): Promise<void> {
  const rolledToUs = async (kysely: typeof db.kysely) => (await rollUps.readProgress(kysely)).rolledToUs;
  const packer = createDayPacker({ db, clock, log, afterDays: 2, retentionDays, rolledToUs });
  while (!(await packer.run()));
}

/** The ingest and what drains held results, as a controller has them. */
function steps(workers: WorkerWatch) {
  const health = createHealth({ clock, log, recordEvents, runRequests, locations: locationVisibility });
  const partitions = createPartitions({ db, clock, log, retentionDays });
  const fold: Fold = (trx, rows, nowUs, how) => health.fold(trx, rows, nowUs, how);
  const storing = { db, clock, log, rollUps, runRequests, retentionDays, partitions, fold, workers };
  return { ingest: createIngest(storing), held: createHeldDrain(storing) };
}

function ingest(...records: ReturnType<typeof result>[]) {
  const step = steps(createWorkerWatch({ kysely: db.kysely, clock, log })).ingest;
  return step.accept({ agentNo, accountNo: one.accountNo }, batchOf(...records));
}

/** The answers of all routes that read history, each with its path. */
async function answers(): Promise<readonly string[]> {
  const iso = (us: number) => new Date(us / 1000).toISOString();
  const span = `Timestamp1=${iso(clock.nowUs() - 4 * dayUs)}&Timestamp2=${iso(clock.nowUs() - minuteUs)}`;
  const paths = [
    '/devices',
    '/devices?Limit=2',
    '/states',
    '/events',
    '/outages',
    `/outages?${span}`,
    ...checkIds.map((id) => `/checks/${id}`),
    ...devices.flatMap(({ deviceId }) => [
      `/devices/${deviceId}`,
      `/devices/${deviceId}/checks?Limit=300`,
      `/devices/${deviceId}/checks?Limit=20&Offset=40`,
      `/devices/${deviceId}/checks?${span}&ResultCode=2`,
      `/devices/${deviceId}/uptime?${span}`,
      `/devices/${deviceId}/outages?${span}`,
      `/devices/${deviceId}/statistics?${span}`,
      `/devices/${deviceId}/statistics?${span}&Bucket=Hour&With=Phases,Histogram`,
      `/devices/${deviceId}/suggested-master`,
    ]),
  ];
  const read: string[] = [];
  for (const path of paths) {
    const { status, text } = await one.send('GET', path);
    read.push(`${path} ${status} ${text}`);
  }
  return read;
}

test('the history goes to the workers, and every answer is byte for byte what it was', async ({ skip }) => {
  if (typeof cluster === 'string') return skip(cluster);
  const before = await answers();
  expect(before.filter((text) => !/^\S+ 200 /.test(text)).map((text) => text.slice(0, 300))).toEqual([]);
  const plan = await planDistribution(db.kysely);
  expect(plan.tables.every(({ done }) => !done)).toBe(true);
  const said: string[] = [];
  const after = await distributeHistory(db, { shards: 2, say: (line) => void said.push(line), log });
  expect(after.tables.map(({ table, done }) => [table, done])).toEqual(
    plan.tables.map(({ table }) => [table, true]),
  );
  expect(said[0]).toBe('1 of 4: the rows of check_rows and check_facts go to the workers; writers wait');
  expect(await answers()).toEqual(before);
  // A repetition has nothing to do.
  await distributeHistory(db, { shards: 2, say: (line) => void said.push(line), log });
  expect(said).toHaveLength(4);
}, 300_000);

test('a worker that is away stops neither results nor status nor events, and nothing is lost or doubled', async ({
  skip,
}) => {
  if (typeof cluster === 'string') return skip(cluster);
  const [, failing, well] = devices.map(({ deviceNo }) => deviceNo);
  if (failing === undefined || well === undefined) throw new Error('no devices');
  const workers = createWorkerWatch({ kysely: db.kysely, clock, log });
  const { ingest: step, held } = steps(workers);
  const port = await workerPortOf(failing);
  const worker = cluster.workers.find((each) => each.port === port);
  const sent: string[] = [];
  const fromUs = clock.nowUs();
  const accept = async (checks: readonly Sent[]) => {
    const batch = batchOf(
      ...checks.map(({ deviceNo, us, code = 1 }) => result(deviceNo, us, { resultCode: code })),
    );
    const sender = { agentNo, accountNo: one.accountNo };
    const all = { inserted: checks.length, repeated: 0, quarantined: 0 };
    expect(await step.accept(sender, batch)).toEqual(all);
    sent.push(...checks.map(({ deviceNo, us }) => `${deviceNo}/${us}`));
    // Its ack was lost.
    expect(await step.accept(sender, batch)).toEqual({ ...all, inserted: 0, repeated: checks.length });
  };
  worker?.kill();
  // The first batch finds the worker away, and is held by its next attempt.
  for (let minute = 0; minute < 4; minute += 1) {
    await clock.advance(60_000);
    const us = clock.nowUs() - 1_000_000;
    await accept(devices.map(({ deviceNo }) => ({ deviceNo, us, code: deviceNo === failing ? 2 : 1 })));
  }
  expect(workers.isAway).toBe(true);
  expect(await held.drain()).toBe(0);
  expect(await statusesSince(failing, fromUs)).toEqual(['Down']);
  // It is from before the last check: it is folded with all of the history, when that is there.
  await accept([{ deviceNo: failing, us: clock.nowUs() - 30_000_000 }]);

  worker?.start();
  await vi.waitFor(async () => expect(await workers.review()).toBe(false), { timeout: 60_000 });
  // Its earlier results are still held, so this one is too.
  await accept([{ deviceNo: failing, us: clock.nowUs() - 500_000 }]);
  expect(await held.drain()).toBe(sent.length);
  expect(await held.drain()).toBe(0);
  expect(await statusesSince(failing, fromUs)).toEqual(['Down', 'Up', 'Down', 'Up']);
  expect(await statusesSince(well, fromUs)).toEqual([]);
  expect(await storedSince(fromUs)).toEqual(sent.sort());
  await clock.advance(60_000);
}, 300_000);

/** A result that a test sends; good unless it has a code. */
interface Sent {
  readonly deviceNo: number;
  readonly us: number;
  readonly code?: number;
}

/** The stored checks from a moment on, by device and start. */
async function storedSince(fromUs: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select device_no || '/' || start_us as name from check_rows where start_us >= ${fromUs}::bigint`.execute(
    db.kysely,
  );
  return rows.map(({ name }) => name).sort();
}

/** The statuses that the events of a device say from a moment on. */
async function statusesSince(deviceNo: number, fromUs: number): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`
    select type from events where device_no = ${deviceNo} and type in ('Up', 'Down') and at_us >= ${fromUs}::bigint
    order by at_us`.execute(db.kysely);
  return rows.map(({ type }) => type);
}

/** The port of the worker that has the checks of a device. */
async function workerPortOf(deviceNo: number): Promise<number> {
  const { rows } = await sql<{ port: number }>`
    select n.nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
    where p.shardid = get_shard_id_for_distribution_column('check_rows', ${deviceNo}::int)`.execute(
    db.kysely,
  );
  return rows[0]?.port ?? 0;
}

test('ingest, roll-ups, packing and partitions go on there', async ({ skip }) => {
  if (typeof cluster === 'string') return skip(cluster);
  const records = devices.map(({ deviceNo }) => result(deviceNo, clock.nowUs() - 1_000_000));
  expect(await ingest(...records)).toEqual({ inserted: methods.length, repeated: 0, quarantined: 0 });
  expect(await ingest(...records)).toEqual({ inserted: 0, repeated: methods.length, quarantined: 0 });
  const late = devices.map(({ deviceNo }) => result(deviceNo, clock.nowUs() - dayUs - hourUs));
  expect(await ingest(...late)).toMatchObject({ inserted: methods.length });
  const packedBefore = await count('packed_checks');
  await clock.advance(dayUs / 1000);
  const partitions = createPartitions({ db, clock, log, retentionDays });
  await partitions.ensure();
  expect(await rollUps.createRollUp({ db, clock, log }).run()).toBeGreaterThan(20);
  await pack();
  expect(await count('packed_checks')).toBe(packedBefore + methods.length);
  await clock.advance((3 * dayUs) / 1000);
  await partitions.ensure();
  expect(await partitions.drop(clock.nowUs())).toHaveLength(2);
}, 300_000);

async function count(table: 'packed_checks'): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from ${sql.table(table)}`.execute(db.kysely);
  return rows[0]?.count ?? 0;
}
