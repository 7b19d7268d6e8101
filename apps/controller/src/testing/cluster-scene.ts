import { randomBytes } from 'node:crypto';
import { minuteUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createDb, createPartitions } from '@vantage/storage';
import { createSealer } from '@vantage/storage/secrets/seal';
import { startCitus } from '@vantage/testing/citus-cluster';
import { folderForData } from '@vantage/testing/memory-folder';
import { sql } from 'kysely';
import { runRequests } from '../agents/run-requests/index.ts';
import { locationVisibility } from '../catalog/locations/visibility-store.ts';
import { recordEvents } from '../results/events/record-events.ts';
import { createIngest } from '../results/ingest/index.ts';
import type { Fold } from '../results/ingest/store-checks.ts';
import { batchOf, result } from '../results/ingest/testing/ingest-fixture.ts';
import { rollUps } from '../results/roll-up/index.ts';
import { createHealth, createRestHealth } from '../results/status/index.ts';
import { createClusterReader } from './cluster-reader.ts';
import { createNotifiedContact, recordWithAlerts } from './notified-contact.ts';
import { startOneAccount } from './one-account.ts';
import { readAllRoutes, recordDays } from './recorded-days.ts';

export const retentionDays = 5;
/** VANTAGE_TEST_HISTORY_DEVICES=1000 and VANTAGE_TEST_HISTORY_CHECKS=1440 (of each in a day) try more. */
export const deviceCount = Number(process.env['VANTAGE_TEST_HISTORY_DEVICES'] ?? 3);
const checks = Number(process.env['VANTAGE_TEST_HISTORY_CHECKS'] ?? 48);
/** Of so many devices each route of their own is compared, too; all devices are in the routes of the account. */
const asked = Number(process.env['VANTAGE_TEST_HISTORY_ASKED'] ?? deviceCount);
export const slow = { timeout: 120_000 + 5_000 * deviceCount };

export type ClusterScene = Exclude<Awaited<ReturnType<typeof startClusterScene>>, string>;

/**
 * Starts a Citus cluster on which nothing is distributed yet, with an account, its contact, and four days of checks, of
 * which two are packed. A text says why this machine has no Citus.
 */
export async function startClusterScene() {
  await using resources = new AsyncDisposableStack();
  const log = createLog('cluster scene', 'silent');
  const clock = createFakeClock(1_790_000_000_000_000);
  const cluster = await startCitus({ dataIn: folderForData() });
  if (typeof cluster === 'string') return cluster;
  resources.use(cluster);
  const url = cluster.coordinator;
  const db = await createDb({ connection: { url }, log });
  resources.defer(() => db.close());
  await db.migrate();
  const database = { url, [Symbol.asyncDispose]: async () => {} };
  const one = resources.use(
    await startOneAccount({
      beside: { database, clock, sealer: createSealer(randomBytes(32)) },
      health: () => createRestHealth({ recordEvents, clock }),
    }),
  );
  const partitions = createPartitions({ db, clock, log, retentionDays });
  await partitions.ensure();
  const recording = { one, db, clock, log };
  const contact = await createNotifiedContact(recording);
  const recorded = await recordDays(recording, { devices: deviceCount, checks, days: 4, retentionDays });
  const sender = { agentNo: recorded.agentNo, accountNo: one.accountNo };
  /** The ingest of a controller. */
  const createStep = () => {
    const health = createHealth({
      clock,
      log,
      recordEvents: recordWithAlerts,
      runRequests,
      locations: locationVisibility,
    });
    const fold: Fold = (trx, rows, nowUs) => health.fold(trx, rows, nowUs);
    return createIngest({ db, clock, log, rollUps, runRequests, retentionDays, partitions, fold });
  };
  const ingest = (...records: ReturnType<typeof result>[]) =>
    createStep().accept(sender, batchOf(...records));
  const bad = { resultCode: 2, checkResult: 'no answer' };
  for (let ago = 5; ago > 0; ago -= 1)
    await ingest(
      ...recorded.devices.map(({ deviceNo }, i) =>
        result(deviceNo, clock.nowUs() - ago * minuteUs, i % 3 === 0 ? bad : {}),
      ),
    );
  const [, failing, well] = recorded.devices;
  if (failing === undefined || well === undefined) throw new Error('no devices');
  await db.kysely
    .updateTable('devices')
    .set({ master_no: well.deviceNo })
    .where('device_no', '=', failing.deviceNo)
    .execute();
  const owned = resources.move();
  return {
    ...recording,
    cluster,
    partitions,
    contact,
    recorded,
    sender,
    createStep,
    ingest,
    /** A device whose checks fail in a test, behind the device `well`. */
    failing,
    well,
    reader: createClusterReader(db.kysely),
    /** The answers of all routes that only read, by path. */
    answers: () => readAllRoutes(recording, recorded, asked),
    count: async (table: 'packed_checks'): Promise<number> => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(
        db.kysely,
      );
      return rows[0]?.n ?? 0;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The answers that differ, by path: what they are and what they were. */
export function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  return [...after]
    .filter(([path, text]) => before.get(path) !== text)
    .map(([path, text]) => ({ path, text, before: before.get(path) }));
}

/** The answers that are not 200. */
export function failedOf(answers: ReadonlyMap<string, string>): readonly string[] {
  return [...answers].flatMap(([path, text]) =>
    text.startsWith('200 ') ? [] : [`${path} ${text.slice(0, 300)}`],
  );
}
