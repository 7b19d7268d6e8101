import { create } from '@bufbuild/protobuf';
import { systemClock as clock, type Logger } from '@vantage/kernel';
import { type Batch, BatchSchema } from '@vantage/proto';
import { createPartitions, type Database } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { runRequests } from '../../apps/controller/src/agents/run-requests/index.ts';
import { locationVisibility } from '../../apps/controller/src/catalog/locations/visibility-store.ts';
import { recordEvents } from '../../apps/controller/src/results/events/record-events.ts';
import { createIngest } from '../../apps/controller/src/results/ingest/index.ts';
import { rollUps } from '../../apps/controller/src/results/roll-up/index.ts';
import { createHealth } from '../../apps/controller/src/results/status/index.ts';

/** Devices of each agent, and results of a batch. */
export const devicesOfSender = 500;

/** An agent with its devices. */
export interface Sender {
  readonly accountNo: number;
  readonly agentNo: number;
  readonly deviceNos: readonly number[];
  /** When it was made, microseconds since 1970. */
  readonly nowUs: number;
}

/** The stored values of a check of a Method besides its start. */
const values = {
  TCP: { checkResult: 'connected', connectMs: 3.2, ttfbMs: 4.7 },
  HTTP: {
    checkResult: '200 OK',
    dnsMs: 0.613,
    connectMs: 12.214,
    sslMs: 25.811,
    ttfbMs: 80.127,
    ttlbMs: 4.022,
    dataSize: 15_234,
  },
};

export type SentMethod = keyof typeof values;

/** Creates agents, each with an account and devices that are assigned to it since yesterday. */
export async function createSenders({ kysely }: Database, count: number): Promise<Sender[]> {
  const rows = createFixtures(kysely);
  const senders: Sender[] = [];
  while (senders.length < count) {
    const accountNo = await rows.account();
    const locationNo = await rows.location(accountNo);
    const { agentNo } = await rows.agent({ accountNo, locationNo });
    const nowUs = clock.nowUs();
    const deviceNos: number[] = [];
    for (let i = 0; i < devicesOfSender; i += 1) {
      const deviceNo = await rows.device(accountNo, [locationNo]);
      await rows.hold({ deviceNo, agentNo, locationNo, fromUs: nowUs - 86_400_000_000 });
      deviceNos.push(deviceNo);
    }
    senders.push({ accountNo, agentNo, deviceNos, nowUs });
  }
  return senders;
}

/** A batch with one good result of every device, of a moment in microseconds since 1970. */
export function batchOf({ deviceNos }: Sender, method: SentMethod, startUs: number): Batch {
  const value = {
    startUs: BigInt(startUs),
    revision: 1,
    resultCode: 1,
    ...values[method],
  };
  const records = deviceNos.map((deviceNo) => ({
    record: { case: 'result' as const, value: { ...value, deviceNo } },
  }));
  return create(BatchSchema, { batchId: BigInt(startUs), records });
}

/**
 * Starts the ingest of the controller, with its partitions. The function stores a batch, and throws unless all of it is
 * new.
 */
export async function startIngest(
  db: Database,
  { log, retentionDays }: { readonly log: Logger; readonly retentionDays: number },
): Promise<(sender: Sender, batch: Batch) => Promise<void>> {
  const partitions = createPartitions({ db, clock, log, retentionDays });
  await partitions.ensure();
  const health = createHealth({ clock, log, recordEvents, runRequests, locations: locationVisibility });
  const ingest = createIngest({
    db,
    clock,
    log,
    partitions,
    rollUps,
    runRequests,
    retentionDays,
    fold: (trx, inserted, atUs) => health.fold(trx, inserted, atUs),
  });
  return async (sender, batch) => {
    const { inserted } = await ingest.accept(sender, batch);
    if (inserted !== batch.records.length) throw new Error(`${inserted} rows of a batch were stored`);
  };
}
