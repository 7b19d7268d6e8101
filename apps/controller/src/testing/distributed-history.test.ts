import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dayUs, hourUs, minuteUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CitusCluster, startCitus } from '../../../../tests/harness/citus-cluster.ts';
import { createTestDatabase } from '../../../../tests/harness/database.ts';
import { folderForData } from '../../../../tests/harness/memory-folder.ts';
import { runRequests } from '../agents/run-requests/index.ts';
import { locationVisibility } from '../catalog/locations/visibility-store.ts';
import { createHeldDrain, createIngest } from '../checks/ingest/index.ts';
import type { Fold } from '../checks/ingest/store-checks.ts';
import { batchOf, result } from '../checks/ingest/testing/ingest-fixture.ts';
import { rollUps } from '../checks/rollup/index.ts';
import { writeBackup } from '../platform/db/backup/snapshot.ts';
import { copyDatabase } from '../platform/db/copy/index.ts';
import { distributeHistory, planDistribution } from '../platform/db/distribute/index.ts';
import { createWorkerWatch, type WorkerWatch } from '../platform/db/held/index.ts';
import { createDb, createPartitions, type Db } from '../platform/db/index.ts';
import { createSealer } from '../platform/secrets/seal.ts';
import { type OneAccount, startOneAccount } from '../rest/api/testing/one-account.ts';
import { recordEvents } from '../status/events/record-events.ts';
import { createHealth, createRestHealth } from '../status/health/index.ts';
import { createClusterReader } from './cluster-reader.ts';
import { createNotifiedContact, recordWithAlerts } from './notified-contact.ts';
import { packDays, type RecordedDays, readAllRoutes, recordDays } from './recorded-days.ts';
import { setUp } from './set-up.ts';

const log = createLog('distributed history test', 'silent');
const clock = createFakeClock(1_790_000_000_000_000);
/** Two of these days are packed. */
const [days, retentionDays] = [4, 5];
/** VANTAGE_TEST_HISTORY_DEVICES=1000 and VANTAGE_TEST_HISTORY_CHECKS=1440 (of each in a day) try more. */
const deviceCount = Number(process.env['VANTAGE_TEST_HISTORY_DEVICES'] ?? 3);
const checks = Number(process.env['VANTAGE_TEST_HISTORY_CHECKS'] ?? 48);
/** Of so many devices each route of their own is compared, too; all devices are in the routes of the account. */
const asked = Number(process.env['VANTAGE_TEST_HISTORY_ASKED'] ?? deviceCount);
/** Between two batches while shards move: a busy machine needs its time for the move. */
const betweenMs = 200;
const slow = { timeout: 120_000 + 5_000 * deviceCount };
let cluster: CitusCluster | string;
let one: OneAccount;
let db: Db;
let recorded: RecordedDays;
let reader: ReturnType<typeof createClusterReader>;
let contact: Awaited<ReturnType<typeof createNotifiedContact>>;

beforeAll(async () => {
  cluster = await startCitus({ dataIn: folderForData() });
  if (typeof cluster === 'string') return;
  const url = cluster.coordinator;
  db = await createDb({ connection: { url }, log });
  await db.migrate();
  reader = createClusterReader(db.kysely);
  const database = { url, [Symbol.asyncDispose]: async () => {} };
  one = await startOneAccount({
    beside: { database, clock, sealer: createSealer(randomBytes(32)) },
    health: ({ kysely }) => createRestHealth({ kysely, recordEvents, clock }),
  });
  await createPartitions({ db, clock, log, retentionDays }).ensure();
  contact = await createNotifiedContact({ one, db, clock, log });
  recorded = await recordDays({ one, db, clock, log }, { devices: deviceCount, checks, days, retentionDays });
  const bad = { resultCode: 2, checkResult: 'no answer' };
  for (let ago = 5; ago > 0; ago -= 1)
    await ingest(
      ...recorded.devices.map(({ deviceNo }, i) =>
        result(deviceNo, clock.nowUs() - ago * minuteUs, i % 3 === 0 ? bad : {}),
      ),
    );
}, slow.timeout);

afterAll(async () => {
  if (typeof cluster === 'string') return;
  await one[Symbol.asyncDispose]();
  await db.close();
  await cluster[Symbol.asyncDispose]();
});

/** The ingest and what drains held results, as a controller has them. */
function steps(workers: WorkerWatch) {
  const health = createHealth({
    clock,
    log,
    recordEvents: recordWithAlerts,
    runRequests,
    locations: locationVisibility,
  });
  const partitions = createPartitions({ db, clock, log, retentionDays });
  const fold: Fold = (trx, rows, nowUs, how) => health.fold(trx, rows, nowUs, how);
  const storing = { db, clock, log, rollUps, runRequests, retentionDays, partitions, fold, workers };
  return { ingest: createIngest(storing), held: createHeldDrain(storing) };
}

const answers = () => readAllRoutes({ one, db, clock, log }, recorded, asked);

function ingest(...records: ReturnType<typeof result>[]) {
  const step = steps(createWorkerWatch({ kysely: db.kysely, clock, log })).ingest;
  return step.accept({ agentNo: recorded.agentNo, accountNo: one.accountNo }, batchOf(...records));
}

test(
  'the history goes to the workers, and every answer is byte for byte what it was',
  async ({ skip }) => {
    if (typeof cluster === 'string') return skip(cluster);
    const before = await answers();
    const failed = [...before].filter(([, text]) => !text.startsWith('200 '));
    expect(failed.map(([path, text]) => `${path} ${text.slice(0, 300)}`)).toEqual([]);
    const plan = await planDistribution(db.kysely);
    expect(plan.tables.every(({ done }) => !done)).toBe(true);
    const said: string[] = [];
    const after = await distributeHistory(db, { shards: 4, say: (line) => void said.push(line), log });
    expect(after.tables.map(({ table, done }) => [table, done])).toEqual(
      plan.tables.map(({ table }) => [table, true]),
    );
    expect(said[0]).toBe('1 of 4: the rows of check_rows and check_facts go to the workers; writers wait');
    const differing = [...(await answers())].filter(([path, text]) => before.get(path) !== text);
    expect(differing.map(([path, text]) => [path, text, before.get(path)])).toEqual([]);
    // A repetition has nothing to do.
    await distributeHistory(db, { shards: 4, say: (line) => void said.push(line), log });
    expect(said).toHaveLength(4);
  },
  slow.timeout,
);

test(
  'a worker that is away stops neither results nor status nor events, and nothing is lost or doubled',
  async ({ skip }) => {
    if (typeof cluster === 'string') return skip(cluster);
    const [, failing, well] = recorded.devices.map(({ deviceNo }) => deviceNo);
    if (failing === undefined || well === undefined) throw new Error('no devices');
    const workers = createWorkerWatch({ kysely: db.kysely, clock, log });
    const { ingest: step, held } = steps(workers);
    const port = await reader.workerPortOf(failing);
    const worker = cluster.workers.find((each) => each.port === port);
    const sent: string[] = [];
    const fromUs = clock.nowUs();
    const accept = async (checks: readonly Sent[]) => {
      const batch = batchOf(
        ...checks.map(({ deviceNo, us, code = 1, runRequestId = '' }) =>
          result(deviceNo, us, { resultCode: code, runRequestId }),
        ),
      );
      const sender = { agentNo: recorded.agentNo, accountNo: one.accountNo };
      const all = { inserted: checks.length, repeated: 0, quarantined: 0 };
      expect(await step.accept(sender, batch)).toEqual(all);
      sent.push(...checks.map(({ deviceNo, us }) => `${deviceNo}/${us}`));
      // Its ack was lost.
      expect(await step.accept(sender, batch)).toEqual({ ...all, inserted: 0, repeated: checks.length });
    };
    await db.kysely
      .updateTable('devices')
      .set({ master_no: well })
      .where('device_no', '=', failing)
      .execute();
    worker?.kill();
    // The first batch finds the worker away, and is held by its next attempt.
    for (let minute = 0; minute < 4; minute += 1) {
      await clock.advance(60_000);
      const us = clock.nowUs() - 1_000_000;
      await accept(
        recorded.devices.map(({ deviceNo }) => ({ deviceNo, us, code: deviceNo === failing ? 2 : 1 })),
      );
      await contact.decide();
      // Before anybody is notified of a dependent, its master is checked.
      for (const runRequestId of await reader.requestsFor(well))
        await accept([{ deviceNo: well, us: us + 100_000, runRequestId }]);
    }
    expect(workers.isAway).toBe(true);
    expect(await held.drain()).toBe(0);
    expect(await reader.statusesSince(failing, fromUs)).toEqual(['Down']);
    expect(await reader.notesAbout(failing)).toEqual([null]);
    expect(await contact.messagesAbout(failing)).toEqual(['device.down']);
    // It is from before the last check: it is folded with all of the history, when that is there.
    await accept([{ deviceNo: failing, us: clock.nowUs() - 30_000_000 }]);

    worker?.start();
    await vi.waitFor(async () => expect(await workers.review()).toBe(false), { timeout: 60_000 });
    // Its earlier results are still held, so this one is too.
    await accept([{ deviceNo: failing, us: clock.nowUs() - 500_000 }]);
    expect(await held.drain()).toBe(sent.length);
    expect(await held.drain()).toBe(0);
    expect(await reader.statusesSince(failing, fromUs)).toEqual(['Down', 'Up', 'Down', 'Up']);
    expect(await reader.statusesSince(well, fromUs)).toEqual([]);
    await clock.advance(60_000);
    await contact.decide();
    expect(await contact.messagesAbout(failing)).toEqual(['device.down', 'device.up']);
    expect(await reader.storedSince(fromUs)).toEqual(sent.sort());
    await clock.advance(60_000);
  },
  slow.timeout,
);

test(
  'a worker is added and shards move while results come in: none is lost, none is stored twice, statuses go on',
  async ({ skip }) => {
    if (typeof cluster === 'string') return skip(cluster);
    const [, failing = 0] = recorded.devices.map(({ deviceNo }) => deviceNo);
    const { ingest: step } = steps(createWorkerWatch({ kysely: db.kysely, clock, log }));
    const sender = { agentNo: recorded.agentNo, accountNo: one.accountNo };
    const fromUs = clock.nowUs();
    const sent: string[] = [];
    const send = async (code: number) => {
      await clock.advance(1_000);
      const us = clock.nowUs() - 500_000;
      const codeOf = (deviceNo: number) => (deviceNo === failing ? code : 1);
      const batch = batchOf(
        ...recorded.devices.map(({ deviceNo }) => result(deviceNo, us, { resultCode: codeOf(deviceNo) })),
        {
          case: 'diagnostics',
          value: { deviceNo: failing, startUs: BigInt(us), extendedJson: '{"Transcript":"moved"}' },
        },
      );
      expect(await step.accept(sender, batch)).toEqual({
        inserted: deviceCount,
        repeated: 0,
        quarantined: 0,
      });
      sent.push(...recorded.devices.map(({ deviceNo }) => `${deviceNo}/${us}`));
    };
    const added = await cluster.addWorker();
    await sql`select citus_rebalance_start()`.execute(db.kysely);
    const packed = await count('packed_checks');
    let beats = 0;
    for (; (await reader.moveState()) !== 'finished'; beats += 1) {
      await delay(betweenMs);
      await send(beats % 4 < 2 ? 2 : 1);
      if (beats % 4 === 0) await createPartitions({ db, clock, log, retentionDays }).ensure();
      if (beats === 1) await packDays({ one, db, clock, log }, retentionDays, 1);
    }
    await send(1);
    expect(beats).toBeGreaterThan(4);
    // A day was due.
    expect(await count('packed_checks')).toBe(packed);
    expect(await reader.shardsOf(added.port)).toBeGreaterThan(0);
    expect(await reader.storedSince(fromUs)).toEqual(sent.sort());
    expect((await reader.statusesSince(failing, fromUs)).slice(0, 3)).toEqual(['Down', 'Up', 'Down']);
    const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from checks where start_us >= ${fromUs}::bigint and extended ->> 'Transcript' = 'moved'`.execute(
      db.kysely,
    );
    expect(rows).toEqual([{ n: sent.length / deviceCount }]);
  },
  slow.timeout,
);

/** A result that a test sends; good unless it has a code. */
interface Sent {
  readonly deviceNo: number;
  readonly us: number;
  readonly code?: number;
  /** The request that it answers. */
  readonly runRequestId?: string;
}

test(
  'ingest, roll-ups, packing and partitions go on there',
  async ({ skip }) => {
    if (typeof cluster === 'string') return skip(cluster);
    const records = recorded.devices.map(({ deviceNo }) => result(deviceNo, clock.nowUs() - 1_000_000));
    expect(await ingest(...records)).toEqual({ inserted: deviceCount, repeated: 0, quarantined: 0 });
    expect(await ingest(...records)).toEqual({ inserted: 0, repeated: deviceCount, quarantined: 0 });
    const late = recorded.devices.map(({ deviceNo }) => result(deviceNo, clock.nowUs() - dayUs - hourUs));
    expect(await ingest(...late)).toMatchObject({ inserted: deviceCount });
    const packedBefore = await count('packed_checks');
    await clock.advance(dayUs / 1000);
    const partitions = createPartitions({ db, clock, log, retentionDays });
    await partitions.ensure();
    expect(await rollUps.createRollUp({ db, clock, log }).run()).toBeGreaterThan(20);
    await packDays({ one, db, clock, log }, retentionDays);
    expect(await count('packed_checks')).toBe(packedBefore + deviceCount);
    await clock.advance((3 * dayUs) / 1000);
    await partitions.ensure();
    expect(await partitions.drop(clock.nowUs())).toHaveLength(2);
    // Those of the new days can move while they are written, too.
    const { rows: identities } = await setUp(db.kysely, (connection) =>
      sql<{ identity: string }>`
        select distinct result as identity from pg_inherits, run_command_on_shards(inhrelid::regclass,
          'select relreplident from pg_class where oid = ''%s''::regclass')
        where inhparent = 'check_rows'::regclass`.execute(connection),
    );
    expect(identities).toEqual([{ identity: 'f' }]);
  },
  slow.timeout,
);

test('a distributed history is not backed up or copied, and the reason says what to do instead', async ({
  skip,
}) => {
  if (typeof cluster === 'string') return skip(cluster);
  const { coordinator: url } = cluster;
  const refused = {
    code: 'distributed',
    message: expect.stringContaining('(docs/operate.md, "History on Citus")'),
  };
  const file = path.join(tmpdir(), `vantage-refused-${process.pid}`);
  await expect(writeBackup({ url, file, atUs: 1, files: {}, onRows: () => {} })).rejects.toMatchObject(
    refused,
  );
  expect(existsSync(file)).toBe(false);
  await using target = await createTestDatabase();
  const places = { from: { url, name: 'FROM' }, to: { url: target.url, name: 'TO' } };
  const quiet = { sealed: null, makeTables: async () => {}, clock, say: () => {}, onRows: () => {} };
  await expect(copyDatabase({ ...places, ...quiet })).rejects.toMatchObject(refused);
});

async function count(table: 'packed_checks'): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from ${sql.table(table)}`.execute(db.kysely);
  return rows[0]?.count ?? 0;
}
