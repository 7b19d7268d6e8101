import { fromJsonString } from '@bufbuild/protobuf';
import { createJobParts, type Logger } from '@vantage/kernel';
import { OutboxRecordSchema } from '@vantage/proto';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { Ingest } from './ingest.ts';
import {
  countQuarantined,
  endWaiting,
  type WaitingRecord,
  waitingAgents,
  waitingRecords,
} from './quarantine-store.ts';
import { type Item, readItems } from './sort-items.ts';

/** Records in one transaction. */
const atOnce = 500;
/** Records of one agent in one call, so that others have their turn. */
const maxInCall = 10_000;

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
  /** False while the controller's clock may be wrong: they keep waiting. */
  readonly mayRefuse: () => boolean;
}): () => Promise<void> {
  const parts = createJobParts({
    log,
    failed: 'records in quarantine cannot be taken in again; trying again',
    recovered: 'records in quarantine are taken in again',
  });

  const takeOf = async (sender: Awaited<ReturnType<typeof waitingAgents>>[number]) => {
    const counts = { taken: 0, refused: 0 };
    for (let afterNo = 0, read = 0; read < maxInCall && mayRefuse(); ) {
      const rows = await waitingRecords(kysely, sender.agentNo, { afterNo, limit: atOnce });
      if (rows.length === 0) break;
      const items = rows.flatMap((row) => itemOf(row) ?? []);
      const readable = new Set(items.map(({ quarantinedNo }) => quarantinedNo));
      await endWaiting(
        kysely,
        rows.flatMap(({ quarantinedNo: no }) => (readable.has(no) ? [] : [no])),
      );
      await ingest.acceptAgain(sender, items);
      const { left, waiting } = await countQuarantined(
        kysely,
        items.flatMap(({ quarantinedNo: no }) => no ?? []),
      );
      counts.refused += left - waiting;
      counts.taken += items.length - left;
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
