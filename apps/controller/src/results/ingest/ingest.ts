import { receiver } from '@vantage/domain';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import type { Batch } from '@vantage/proto';
import { type Database, dbFailure, type LockedDevice, type Tables, toText } from '@vantage/storage';
import { HistoryAway } from '@vantage/storage/packed';
import type { Transaction } from 'kysely';
import { futureUs, isOfTime } from './accept.ts';
import { addDiagnostics } from './diagnostics-store.ts';
import type { AnsweredRunRequests, SendingAgent, StoredRecords } from './ingest-contract.ts';
import { insertClocks, insertGaps, mergeCoverage } from './ingest-store.ts';
import { add, judgeUnderLocks } from './load-acceptance.ts';
import type { ParsedNotice, ParsedResult } from './parse-record.ts';
import type { PastHistograms } from './perf-stat.ts';
import { type RefusedRecord, writeQuarantine } from './quarantine-store.ts';
import { type Item, readItems, sortItems } from './sort-items.ts';
import { splitPacked } from './split-packed.ts';
import { createStoreChecks, type Fold, lateHours } from './store-checks.ts';

/** The functions of the roll-ups that ingest calls. */
interface RollUpsOfIngest {
  readonly pastHistograms: PastHistograms;
  /** Marks hours, by their begins, to be rolled up again after the transaction. */
  addDirtyHours(trx: Transaction<Tables>, buckets: readonly number[]): Promise<void>;
}

/** Accepts the batches of agents' outboxes. */
export interface Ingest {
  /**
   * Resolves once all of the batch is committed; a repeat changes nothing. Rejects only when the database stays away,
   * deadlocked or overloaded: send it again later. Once `signal` aborts no further transaction is begun, and it rejects
   * with the signal's reason.
   */
  accept(sender: SendingAgent, batch: Batch, signal?: AbortSignal): Promise<StoredRecords>;
  /** The same for records in quarantine: those that are accepted leave it. */
  acceptAgain(sender: SendingAgent, items: readonly Item[]): Promise<StoredRecords>;
  /**
   * Stores results of devices of one account that the controllers made of calls, and folds them, in the transaction of
   * the caller, who holds the devices' locks.
   */
  storeReceived(
    trx: Transaction<Tables>,
    about: {
      readonly accountNo: number;
      readonly devices: ReadonlyMap<number, Pick<LockedDevice, 'method'>>;
      readonly nowUs: number;
    },
    results: readonly ParsedResult[],
  ): Promise<void>;
}

/** The facts of one batch while its parts are committed. */
interface Task {
  readonly sender: SendingAgent;
  readonly onRefused: (reason: string) => void;
  readonly signal: AbortSignal | undefined;
}

const tries = 5;
/** The server of packed days is asked again after this time. */
const awayMs = 10_000;

const maxReasonLength = 220;

interface IngestDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly runRequests: AnsweredRunRequests;
  readonly fold: Fold;
  readonly partitions: { ensure(): Promise<void> };
  readonly rollUps: RollUpsOfIngest;
  /** Records the traps and lines of syslog that an agent received, in the transaction of their batch. */
  readonly recordNotices?: (
    trx: Transaction<Tables>,
    sender: SendingAgent,
    notices: readonly ParsedNotice[],
    nowUs: number,
  ) => Promise<void>;
  readonly retentionDays: number;
  /**
   * False while the controller's clock may be wrong: a result that would be refused for its time then waits in
   * quarantine, or at its agent where too many wait.
   */
  readonly mayRefuseForTime?: () => boolean;
}

/** Creates the ingest. `retentionDays` is how long checks are kept. */
export function createIngest({
  db,
  clock,
  log,
  runRequests,
  fold,
  partitions,
  rollUps,
  recordNotices = () => Promise.resolve(),
  retentionDays,
  mayRefuseForTime = () => true,
}: IngestDeps): Ingest {
  const storeChecks = createStoreChecks({ db, fold, runRequests, rollUps });
  /** Until then (`clock.monoMs`) the server of packed days is not asked again, because it did not answer. */
  let awayUntilMs = Number.NEGATIVE_INFINITY;

  /** One transaction for all these items; `refused` are items that the database or the fold refused. */
  const commit = (
    sender: SendingAgent,
    items: readonly Item[],
    refused: string | undefined,
  ): Promise<StoredRecords> =>
    db.kysely.transaction().execute(async (trx) => {
      const nowUs = clock.nowUs();
      const mayAsk = clock.monoMs() >= awayUntilMs;
      const { present, waiting } = await splitPacked(trx, items, { mayAsk, nowUs });
      const sorted = await runRequests.takeTrials(trx, sender.agentNo, sortItems(present));
      const target = { agentNo: sender.agentNo, receivedUs: nowUs };
      const quarantine: RefusedRecord[] = sorted.malformed.map((one) => ({ ...one, waits: false }));
      if (refused !== undefined) {
        const rest = items.filter(({ parsed }) => parsed.kind !== 'malformed');
        quarantine.push(...rest.map((item) => ({ item, reason: refused, waits: false })));
        await writeQuarantine(trx, target, items, quarantine);
        return { inserted: 0, repeated: 0, quarantined: quarantine.length };
      }
      quarantine.push(...waiting);
      const { acceptance, located, diagnostics, notAccepted } = await judgeUnderLocks(trx, sender, sorted, {
        runRequests,
        nowUs,
        retentionDays,
      });
      const isUnsure = !mayRefuseForTime();
      quarantine.push(...notAccepted.map((one) => ({ ...one, waits: isUnsure && isOfTime(one.reason) })));
      const { devices } = acceptance;
      const stored = await storeChecks(trx, located, { sender, nowUs, devices });
      const times = { fromUs: acceptance.oldestUs, toUs: nowUs + futureUs, nowUs };
      await addDiagnostics(trx, sender, diagnostics, times);
      await mergeCoverage(trx, sender.agentNo, sorted.coverage);
      await insertGaps(trx, sender.agentNo, sorted.gaps);
      await insertClocks(trx, sender.agentNo, sorted.clocks);
      if (sorted.notices.length > 0) await recordNotices(trx, sender, sorted.notices, nowUs);
      await rollUps.addDirtyHours(trx, lateHours(stored, nowUs));
      await writeQuarantine(trx, target, items, quarantine);
      return {
        inserted: stored.length,
        repeated: located.length - stored.length,
        quarantined: quarantine.length,
      };
    });

  /**
   * Repeats a failed commit that may pass later. Splits other failed commits until each bad record stands alone, and
   * calls `onRefused` with the reason of each.
   */
  const takeItems = async (task: Task, items: readonly Item[], refused?: string): Promise<StoredRecords> => {
    const { sender, onRefused, signal } = task;
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      try {
        return await commit(sender, items, refused);
      } catch (error) {
        const failure = dbFailure(error);
        if (failure === 'no-partition' && attempt === 1) {
          await partitions.ensure();
        } else if (failure === 'retry') {
          if (attempt >= tries) throw error;
          if (error instanceof HistoryAway && clock.monoMs() >= awayUntilMs) {
            awayUntilMs = clock.monoMs() + awayMs;
            continue;
          }
          await clock.sleep(20 * 2 ** attempt * Math.random(), signal);
        } else if (items.length > 1) {
          const middle = Math.ceil(items.length / 2);
          const first = await takeItems(task, items.slice(0, middle));
          return add(first, await takeItems(task, items.slice(middle)));
        } else if (refused === undefined) {
          const reason = toText(`could not be stored: ${messageOf(error)}`, maxReasonLength);
          onRefused(reason);
          return takeItems(task, items, reason);
        } else {
          throw error;
        }
      }
    }
  };

  const take = async (sender: SendingAgent, items: readonly Item[], signal?: AbortSignal) => {
    const reasons: string[] = [];
    const onRefused = (reason: string) => void reasons.push(reason);
    const taken = await takeItems({ sender, onRefused, signal }, items);
    if (reasons.length > 0)
      log.warn(
        { ...sender.names, records: reasons.length, reason: reasons[0] },
        'records of a batch are quarantined',
      );
    return taken;
  };
  return {
    accept: (sender, batch, signal) => take(sender, readItems(batch.records), signal),
    acceptAgain: (sender, items) => take(sender, items),
    async storeReceived(trx, { accountNo, devices, nowUs }, results) {
      const { agentNo, locationNo } = receiver;
      const located = results.map((result) => ({ result, locationNo }));
      const stored = await storeChecks(trx, located, { sender: { agentNo, accountNo }, nowUs, devices });
      await rollUps.addDirtyHours(trx, lateHours(stored, nowUs));
    },
  };
}
