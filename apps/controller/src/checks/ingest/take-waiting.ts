import { fromJsonString } from '@bufbuild/protobuf';
import { createJobParts, type Logger } from '@vantage/kernel';
import { OutboxRecordSchema } from '@vantage/proto';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import type { Ingest } from './ingest.ts';
import { type Item, readItems } from './record.ts';
import { endWaiting, type WaitingRecord, waitingAgents, waitingRecords } from './store.ts';

/** Records in one transaction. */
const atOnce = 500;
/** Records of one agent in one call, so that others have their turn. */
const mostInCall = 10_000;

/**
 * Creates the function that takes records in quarantine in again that wait. Any number of controllers may call it: a
 * record is stored once, and leaves the quarantine in the transaction that stores it.
 */
export function createTakeWaiting({
  kysely,
  log,
  ingest,
  mayRefuse,
}: {
  readonly kysely: Kysely<Tables>;
  readonly log: Logger;
  readonly ingest: Pick<Ingest, 'acceptAgain'>;
  /** False while the controller's clock may be wrong: they go on waiting. */
  readonly mayRefuse: () => boolean;
}): () => Promise<void> {
  const parts = createJobParts({
    log,
    failed: 'records in quarantine cannot be taken in again; trying again',
    recovered: 'records in quarantine are taken in again',
  });

  const takeOf = async (sender: Awaited<ReturnType<typeof waitingAgents>>[number]) => {
    const counts = { taken: 0, refused: 0 };
    for (let afterNo = 0, read = 0; read < mostInCall && mayRefuse(); ) {
      const rows = await waitingRecords(kysely, sender.agentNo, { afterNo, limit: atOnce });
      if (rows.length === 0) break;
      const items = rows.flatMap((row) => itemOf(row) ?? []);
      const readable = new Set(items.map(({ quarantinedNo }) => quarantinedNo));
      await endWaiting(
        kysely,
        rows.flatMap(({ quarantinedNo: no }) => (readable.has(no) ? [] : [no])),
      );
      const { quarantined } = await ingest.acceptAgain(sender, items);
      counts.refused += quarantined;
      counts.taken += items.length - quarantined;
      afterNo = rows.at(-1)?.quarantinedNo ?? afterNo;
      read += rows.length;
    }
    if (counts.taken + counts.refused > 0)
      log.info({ ...sender.names, ...counts }, 'records in quarantine are judged again');
  };

  return async () => {
    if (!mayRefuse()) return;
    for (const sender of await waitingAgents(kysely))
      await parts.attempt(`agent ${sender.agentNo}`, () => takeOf(sender));
  };
}

/** Undefined: the text is no record. */
function itemOf({ quarantinedNo, record }: WaitingRecord): Item | undefined {
  try {
    const [item] = readItems([fromJsonString(OutboxRecordSchema, record)]);
    return item && { ...item, quarantinedNo };
  } catch {
    return undefined;
  }
}
