import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createLog, systemClock } from '@vantage/kernel';
import { type Batch, BatchSchema, type CheckResultSchema, type OutboxRecordSchema } from '@vantage/proto';
import { createPartitions, type Database } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach } from 'vitest';
import { runRequests } from '../../../agents/run-requests/index.ts';
import { rollUps } from '../../roll-up/index.ts';
import { createIngest } from '../ingest.ts';
import type { Fold } from '../store-checks.ts';

const log = createLog('ingest test', 'silent');
const clock = systemClock;
/** A minute, microseconds. */
export const minuteUs = 60_000_000;
/** A record as the wire has it. */
export type WireRecord = NonNullable<MessageInitShape<typeof OutboxRecordSchema>['record']>;

/** A batch of these records. */
export function batchOf(...records: WireRecord[]): Batch {
  return create(BatchSchema, { batchId: 1n, records: records.map((record) => ({ record })) });
}

/** A good result of a device, but for what `values` say. */
export function result(
  deviceNo: number,
  startUs: number,
  values: MessageInitShape<typeof CheckResultSchema> = {},
): WireRecord {
  return {
    case: 'result',
    value: {
      deviceNo,
      startUs: BigInt(startUs),
      revision: 1,
      resultCode: 1,
      checkResult: 'connected',
      connectMs: 3,
      ttfbMs: 4,
      ...values,
    },
  };
}

/** A database with partitions and, for each test, an agent that has held five devices for two days. */
export function useIngestFixture() {
  let db: Database;
  let sender: {
    agentNo: number;
    locationNo: number;
    accountNo: number;
    names: { agent: string; location: string };
  };
  let deviceNos: number[] = [];

  useDatabase(async (opened) => {
    db = opened;
    await createPartitions({ db, clock, log, retentionDays: 3 }).ensure();
  });

  beforeEach(async () => {
    const rows = createFixtures(db.kysely);
    const accountNo = await rows.account();
    const locationNo = await rows.location(accountNo);
    const { agentNo } = await rows.agent({ accountNo, locationNo });
    sender = { agentNo, locationNo, accountNo, names: { agent: 'edge', location: 'here' } };
    deviceNos = [];
    for (let i = 0; i < 5; i += 1) {
      const deviceNo = await rows.device(accountNo, [locationNo]);
      await rows.hold({ deviceNo, agentNo, locationNo, fromUs: clock.nowUs() - 2 * 86_400_000_000 });
      deviceNos.push(deviceNo);
    }
  });

  function ingestWith(fold: Fold = async () => {}, deps: Partial<Parameters<typeof createIngest>[0]> = {}) {
    const partitions = { ensure: async () => {} };
    return createIngest({
      db,
      clock,
      log,
      fold,
      rollUps,
      runRequests,
      retentionDays: 3,
      partitions,
      ...deps,
    });
  }

  /** The checks of the agent in the order of its devices; the workers of a cluster answer in any order. */
  function stored() {
    return db.kysely
      .selectFrom('checks')
      .selectAll()
      .where('agent_no', '=', sender.agentNo)
      .orderBy('device_no')
      .orderBy('start_us')
      .execute();
  }

  function quarantined() {
    return db.kysely.selectFrom('quarantined').selectAll().where('agent_no', '=', sender.agentNo).execute();
  }

  function many(count: number): WireRecord[] {
    const nowUs = clock.nowUs();
    return Array.from({ length: count }, (_, i) => result(deviceNos[i % 5] ?? 0, nowUs - i * minuteUs));
  }

  return {
    get db() {
      return db;
    },
    get sender() {
      return sender;
    },
    get deviceNos() {
      return deviceNos;
    },
    ingestWith,
    stored,
    quarantined,
    many,
  };
}
