import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dayUs } from '@vantage/domain';
import { startOfDay } from '@vantage/storage';
import { distributeHistory, planDistribution } from '@vantage/storage/distribute';
import { checksOfSpan } from '@vantage/storage/packed';
import { writeBackup } from '@vantage/storage-ops/backup/write-backup';
import { copyDatabase } from '@vantage/storage-ops/copy';
import { createTestDatabase } from '@vantage/testing/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTakeWaiting } from '../src/results/ingest/index.ts';
import { batchOf, result } from '../src/results/ingest/testing/ingest-fixture.ts';
import { dropPackedDays } from '../src/results/packing/packed-days-store.ts';
import { rollUps } from '../src/results/roll-up/index.ts';
import {
  type ClusterScene,
  deviceCount,
  differing,
  failedOf,
  retentionDays,
  slow,
  startClusterScene,
} from '../src/testing/cluster-scene.ts';
import { packDays } from '../src/testing/recorded-days.ts';

/** Between two batches while shards move: a busy machine needs its time for the move. */
const betweenMs = 200;
let scene: ClusterScene | string;

beforeAll(async () => {
  scene = await startClusterScene();
}, slow.timeout);

afterAll(async () => {
  if (typeof scene !== 'string') await scene[Symbol.asyncDispose]();
});

test(
  'packed days go to the workers, everything else stays, and every answer is byte for byte what it was',
  async ({ skip }) => {
    if (typeof scene === 'string') return skip(scene);
    const { db, answers } = scene;
    const before = await answers();
    expect(failedOf(before)).toEqual([]);
    const plan = await planDistribution(db.kysely);
    expect(plan.tables.map(({ table, done }) => [table, done])).toEqual(
      plan.tables.map(({ table, place }) => [table, place === 'coordinator']),
    );
    const said: string[] = [];
    const after = await distributeHistory(db, { shards: 4, say: (line) => void said.push(line) });
    expect(after.tables.every(({ done }) => done)).toBe(true);
    expect(said).toEqual(['1 of 1: the rows of packed_checks go to the workers; packing waits']);
    expect(differing(before, await answers())).toEqual([]);
    // A repetition has nothing to do.
    await distributeHistory(db, { shards: 4, say: (line) => void said.push(line) });
    expect(said).toHaveLength(1);
  },
  slow.timeout,
);

test(
  'while a worker is away results, lists, statuses and alerts go on, pages of its old checks answer 503, and nothing is lost or doubled',
  async ({ skip }) => {
    if (typeof scene === 'string') return skip(scene);
    const { db, clock, log, one, cluster, contact, reader, recorded, sender, failing, well, answers } = scene;
    const port = await reader.workerPortOf(failing.deviceNo);
    const worker = cluster.workers.find((each) => each.port === port);
    const ingestStep = scene.createStep();
    const sent: string[] = [];
    const fromUs = clock.nowUs();
    const accept = async (checks: readonly Sent[]) => {
      const batch = batchOf(
        ...checks.map(({ deviceNo, us, code = 1, runRequestId = '' }) =>
          result(deviceNo, us, { resultCode: code, runRequestId }),
        ),
      );
      const all = { inserted: checks.length, repeated: 0, quarantined: 0 };
      expect(await ingestStep.accept(sender, batch)).toEqual(all);
      sent.push(...checks.map(({ deviceNo, us }) => `${deviceNo}/${us}`));
      // Its ack was lost.
      expect(await ingestStep.accept(sender, batch)).toEqual({
        ...all,
        inserted: 0,
        repeated: checks.length,
      });
    };
    const before = await answers();
    worker?.kill();
    const away = differing(before, await answers());
    // Only pages that need packed days of that worker; the text says what is missing.
    expect(away.length).toBeGreaterThan(0);
    for (const { path, text } of away) {
      expect(path).toMatch(/^\/devices\/[^/]+\/(checks|statistics)/);
      expect(text).toMatch(
        /^503 .*The database server that has these old checks does not answer at the moment/,
      );
    }
    expect(away.map(({ path }) => path)).toContain(
      `/devices/${failing.deviceId}/checks?Limit=100&Offset=100`,
    );
    for (let minute = 0; minute < 4; minute += 1) {
      await clock.advance(60_000);
      const us = clock.nowUs() - 1_000_000;
      await accept(
        recorded.devices.map(({ deviceNo }) => ({
          deviceNo,
          us,
          code: deviceNo === failing.deviceNo ? 2 : 1,
        })),
      );
      await contact.decide();
      // Before anybody is notified of a dependent, its master is checked.
      for (const runRequestId of await reader.requestsFor(well.deviceNo))
        await accept([{ deviceNo: well.deviceNo, us: us + 100_000, runRequestId }]);
    }
    expect(await reader.statusesSince(failing.deviceNo, fromUs)).toEqual(['Down']);
    expect(await reader.notesAbout(failing.deviceNo)).toEqual([null]);
    expect(await contact.messagesAbout(failing.deviceNo)).toEqual(['device.down']);
    await expect(packDays(scene, retentionDays, 1)).rejects.toMatchObject({ code: 'history_away' });
    // A result of a packed day waits; one of today in the same batch does not.
    const oldUs = startOfDay(clock.nowUs() - 3 * dayUs) + 1_234_567;
    const [nowUs, late] = [clock.nowUs() - 500_000, result(failing.deviceNo, oldUs)];
    const mixed = batchOf(late, result(well.deviceNo, nowUs));
    expect(await ingestStep.accept(sender, mixed)).toEqual({ inserted: 1, repeated: 0, quarantined: 1 });
    sent.push(`${well.deviceNo}/${nowUs}`);
    const takeWaiting = createTakeWaiting({
      kysely: db.kysely,
      log,
      ingest: ingestStep,
      mayRefuse: () => true,
    });
    await takeWaiting();
    expect(await waiting(scene)).toBe(1);
    const short = await one.create('/devices', { Method: 'TCP', URL: 'a.example:1', ShortName: 'short' });
    expect((await one.send('DELETE', `/devices/${short}`)).status).toBe(200);

    worker?.start();
    await clock.advance(60_000);
    await takeWaiting();
    expect(await waiting(scene)).toBe(0);
    expect(await reader.storedSince(oldUs)).toContain(`${failing.deviceNo}/${oldUs}`);
    // It is stored once, however often it comes.
    expect(await ingestStep.accept(sender, batchOf(late))).toEqual({
      inserted: 0,
      repeated: 1,
      quarantined: 0,
    });
    await accept([{ deviceNo: failing.deviceNo, us: clock.nowUs() - 500_000 }]);
    expect(await reader.statusesSince(failing.deviceNo, fromUs)).toEqual(['Down', 'Up']);
    expect(await reader.statusesSince(well.deviceNo, fromUs)).toEqual([]);
    await clock.advance(60_000);
    await contact.decide();
    expect(await contact.messagesAbout(failing.deviceNo)).toEqual(['device.down', 'device.up']);
    expect(await reader.storedSince(fromUs)).toEqual(sent.sort());
    expect(failedOf(await answers())).toEqual([]);
    await clock.advance(60_000);
  },
  slow.timeout,
);

test(
  'a worker is added and shards move while days are packed: no check is lost or doubled',
  async ({ skip }) => {
    if (typeof scene === 'string') return skip(scene);
    const { db, clock, log, cluster, reader, recorded, sender, partitions, count } = scene;
    const ingestStep = scene.createStep();
    await clock.advance(dayUs / 1000);
    await partitions.ensure();
    await rollUps.createRollUp({ db, clock, log }).run();
    const before = await allChecks(scene);
    const packedBefore = await count('packed_checks');
    const added = await cluster.addWorker();
    await sql`select citus_rebalance_start()`.execute(db.kysely);
    const sent: string[] = [];
    let beats = 0;
    for (; (await reader.moveState()) !== 'finished'; beats += 1) {
      await delay(betweenMs);
      await clock.advance(1_000);
      const us = clock.nowUs() - 500_000;
      const batch = batchOf(...recorded.devices.map(({ deviceNo }) => result(deviceNo, us)));
      expect(await ingestStep.accept(sender, batch)).toMatchObject({ inserted: deviceCount, quarantined: 0 });
      sent.push(...recorded.devices.map(({ deviceNo }) => `${deviceNo}/${us}/1`));
      await packDays(scene, retentionDays, 1);
    }
    await packDays(scene, retentionDays, 1);
    expect(beats).toBeGreaterThan(1);
    expect(await reader.shardsOf(added.port)).toBeGreaterThan(0);
    expect(await count('packed_checks')).toBeGreaterThan(packedBefore);
    expect(await allChecks(scene)).toEqual([...before, ...sent].toSorted());
  },
  slow.timeout,
);

test(
  'roll-ups, packing, retention and partitions go on there',
  async ({ skip }) => {
    if (typeof scene === 'string') return skip(scene);
    const { db, clock, log, partitions, count } = scene;
    const packedBefore = await count('packed_checks');
    await clock.advance(dayUs / 1000);
    await partitions.ensure();
    expect(await rollUps.createRollUp({ db, clock, log }).run()).toBeGreaterThan(20);
    await packDays(scene, retentionDays, 1);
    expect(await count('packed_checks')).toBeGreaterThanOrEqual(packedBefore + deviceCount);
    const packed = await count('packed_checks');
    await clock.advance((2 * dayUs) / 1000);
    await partitions.ensure();
    expect(await partitions.drop(clock.nowUs())).toHaveLength(2);
    await dropPackedDays(db.kysely, clock.nowUs() - retentionDays * dayUs);
    expect(await count('packed_checks')).toBeLessThan(packed);
  },
  slow.timeout,
);

test('a distributed history is not backed up or copied, and the reason says what to do instead', async ({
  skip,
}) => {
  if (typeof scene === 'string') return skip(scene);
  const { clock } = scene;
  const { coordinator: url } = scene.cluster;
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

/** A result that a test sends; good unless it has a code. */
interface Sent {
  readonly deviceNo: number;
  readonly us: number;
  readonly code?: number;
  /** The request that it answers. */
  readonly runRequestId?: string;
}

/** The records in quarantine that wait. */
async function waiting({ db }: ClusterScene): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from quarantined where waits`.execute(db.kysely);
  return rows[0]?.count ?? 0;
}

/** All checks of the devices, rows and packed ones: device, start and ResultCode. */
async function allChecks({ db, clock, recorded }: ClusterScene): Promise<readonly string[]> {
  const lists = await Promise.all(
    recorded.devices.map(({ deviceNo }) =>
      checksOfSpan(db.kysely, { deviceNo, fromUs: 0, toUs: clock.nowUs() + dayUs }),
    ),
  );
  return lists
    .flat()
    .map(({ device_no, start_us, code }) => `${device_no}/${start_us}/${code}`)
    .toSorted();
}
