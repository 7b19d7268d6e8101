import { dayUs } from '@vantage/domain';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import type { Batch } from '@vantage/proto';
import type { Transaction } from 'kysely';
import { heldDevices, noWorkers, type WorkerWatch } from '../../platform/db/held/index.ts';
import {
  type Db,
  dbFailure,
  lockDevicesOf,
  pipelined,
  type Tables,
  toText,
} from '../../platform/db/index.ts';
import {
  type Acceptance,
  assignedSpans,
  connectedSpans,
  deletedDevices,
  futureUs,
  isOfDeleted,
  isOfTime,
  type KnownDevices,
  locationAt,
  locationsSince,
  type RequestedCheck,
  refusal,
  strangerReason,
} from './accept.ts';
import { addDiagnostics } from './diagnostics.ts';
import type { PastHistograms } from './perf-stat.ts';
import {
  type Item,
  type ParsedDiagnostics,
  type ParsedResult,
  readItems,
  type Sorted,
  sortItems,
} from './record.ts';
import { insertClocks, insertGaps, mergeCoverage, type Refused, writeQuarantine } from './store.ts';
import { createCheckStore, type Fold, lateHours, type MarksAnswered, splitHeld } from './store-checks.ts';

/** The sender of a batch, known from its credentials only. */
interface Sender {
  readonly agentNo: number;
  readonly accountNo: number;
  /** For the log, where they are known. */
  readonly names?: { readonly agent: string; readonly location: string };
}

/** The outcome of a batch's records. */
interface BatchOutcome {
  /** Results that are new. */
  readonly inserted: number;
  /** Results that were stored already. */
  readonly repeated: number;
  /** Records that were quarantined with a reason. */
  readonly quarantined: number;
}

/** The stored run requests, as the ingest uses them. */
interface RunRequests extends MarksAnswered {
  /** The checks that these run requests ask of this agent, by run request id. */
  requestedChecks(
    trx: Transaction<Tables>,
    agentNo: number,
    runRequestIds: readonly string[],
  ): Promise<ReadonlyMap<string, RequestedCheck>>;
  /** Answers trials with their results. Resolves with the records that are of no trial. */
  takeTrials(trx: Transaction<Tables>, agentNo: number, records: Sorted): Promise<Sorted>;
}

/** The functions of the roll-ups that ingest calls. */
interface RollUpsOfIngest {
  readonly pastHistograms: PastHistograms;
  /** Marks hours, by their begins, to be rolled up again after the transaction. */
  markDirtyHours(trx: Transaction<Tables>, buckets: readonly number[]): Promise<void>;
}

/** Accepts the batches of agents' outboxes. */
export interface Ingest {
  /**
   * Resolves once all of the batch is committed; a repeat changes nothing. Rejects only when the database stays away,
   * deadlocked or overloaded: send it again later. Once `signal` aborts no further transaction is begun, and it rejects
   * with the signal's reason.
   */
  accept(sender: Sender, batch: Batch, signal?: AbortSignal): Promise<BatchOutcome>;
  /** The same for records in quarantine: those that are accepted leave it. */
  acceptAgain(sender: Sender, items: readonly Item[]): Promise<BatchOutcome>;
}

/** The facts of one batch while its parts are committed. */
interface Task {
  readonly sender: Sender;
  readonly onRefused: (reason: string) => void;
  readonly signal: AbortSignal | undefined;
}

const tries = 5;
const longestReason = 220;

interface IngestDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly runRequests: RunRequests;
  readonly fold: Fold;
  readonly partitions: { ensure(): Promise<void> };
  readonly rollUps: RollUpsOfIngest;
  readonly retentionDays: number;
  /**
   * False while the controller's clock may be wrong: a result that would be refused for its time then waits in
   * quarantine, or at its agent where too many wait.
   */
  readonly mayRefuseForTime?: () => boolean;
  /** The workers of a distributed history; absent: it is not distributed. */
  readonly workers?: Pick<WorkerWatch, 'isDistributed' | 'isAway' | 'review'>;
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
  retentionDays,
  mayRefuseForTime = () => true,
  workers = noWorkers,
}: IngestDeps): Ingest {
  const checks = createCheckStore({ db, fold, runRequests, rollUps });

  /** One transaction for all these items; `refused` are items that the database or the fold refused. */
  const commit = (
    sender: Sender,
    items: readonly Item[],
    refused: string | undefined,
  ): Promise<BatchOutcome> =>
    db.kysely.transaction().execute(async (trx) => {
      const nowUs = clock.nowUs();
      const sorted = await runRequests.takeTrials(trx, sender.agentNo, sortItems(items));
      const target = { agentNo: sender.agentNo, receivedUs: nowUs };
      const quarantine: Refused[] = sorted.malformed.map((one) => ({ ...one, waits: false }));
      if (refused !== undefined) {
        const rest = items.filter(({ parsed }) => parsed.kind !== 'malformed');
        quarantine.push(...rest.map((item) => ({ item, reason: refused, waits: false })));
        await writeQuarantine(trx, target, items, quarantine);
        return { inserted: 0, repeated: 0, quarantined: quarantine.length };
      }
      const { isAway } = workers;
      const { acceptance, located, diagnostics, notAccepted, held } = await judgeUnderLocks(
        trx,
        sender,
        sorted,
        { runRequests, nowUs, retentionDays, mayBeHeld: workers.isDistributed },
      );
      const isUnsure = !mayRefuseForTime();
      quarantine.push(...notAccepted.map((one) => ({ ...one, waits: isUnsure && isOfTime(one.reason) })));
      const results = splitHeld(located, ({ result }) => result.deviceNo, { isAway, held });
      const about = { sender, nowUs, devices: acceptance.devices };
      const stored = await checks.store(trx, results.toStore, about);
      const kept = await checks.hold(trx, results.toHold, about);
      const times = { fromUs: acceptance.oldestUs, toUs: nowUs + futureUs, nowUs };
      const pieces = splitHeld(diagnostics, ({ deviceNo }) => deviceNo, { isAway, held });
      await addDiagnostics(trx, sender, pieces.toStore, times);
      await addDiagnostics(trx, sender, pieces.toHold, times, 'held');
      await mergeCoverage(trx, sender.agentNo, sorted.coverage);
      await insertGaps(trx, sender.agentNo, sorted.gaps);
      await insertClocks(trx, sender.agentNo, sorted.clocks);
      await rollUps.markDirtyHours(trx, lateHours(stored, nowUs));
      await writeQuarantine(trx, target, items, quarantine);
      return {
        inserted: stored.length + kept.length,
        repeated: located.length - stored.length - kept.length,
        quarantined: quarantine.length,
      };
    });

  /**
   * Repeats a failed commit that may pass later. Splits other failed commits until each bad record stands alone, and
   * calls `onRefused` with the reason of each.
   */
  const takeItems = async (task: Task, items: readonly Item[], refused?: string): Promise<BatchOutcome> => {
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
          // A worker that is away: the next attempt holds the results.
          if (!workers.isAway && (await workers.review())) continue;
          await clock.sleep(20 * 2 ** attempt * Math.random(), signal);
        } else if (items.length > 1) {
          const middle = Math.ceil(items.length / 2);
          const first = await takeItems(task, items.slice(0, middle));
          return add(first, await takeItems(task, items.slice(middle)));
        } else if (refused === undefined) {
          const reason = toText(`could not be stored: ${messageOf(error)}`, longestReason);
          onRefused(reason);
          return takeItems(task, items, reason);
        } else {
          throw error;
        }
      }
    }
  };

  const take = async (sender: Sender, items: readonly Item[], signal?: AbortSignal) => {
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
  };
}

interface AcceptanceDeps {
  readonly runRequests: RunRequests;
  readonly nowUs: number;
  readonly retentionDays: number;
  /** The history is distributed. */
  readonly mayBeHeld: boolean;
}

/** Locks the devices of these results and diagnostics, and decides under the locks which results are accepted. */
async function judgeUnderLocks(
  trx: Transaction<Tables>,
  sender: Sender,
  sorted: Sorted,
  deps: AcceptanceDeps,
) {
  const results = sorted.results.map(({ result }) => result);
  const deviceNos = [...results, ...sorted.diagnostics.map(({ diagnostics }) => diagnostics)].map(
    ({ deviceNo }) => deviceNo,
  );
  // PostgreSQL answers them one after the other, so what follows the locks is read under them.
  const [devices, spans, locations, held] = await pipelined(trx, (pipe) => [
    lockDevicesOf(pipe, sender.accountNo, deviceNos),
    loadAcceptance(pipe, sender, results, deps),
    locationsOf(pipe, sender, results),
    heldDevices(pipe, deps.mayBeHeld ? deviceNos : []),
  ]);
  const acceptance = { ...spans, devices };
  const { accepted, diagnostics, refused } = judge(sorted, acceptance);
  const notAccepted = await withoutDeleted(trx, sender, { refused, devices });
  const located = accepted.map((result) => ({ result, locationNo: locationAt(locations, result.startUs) }));
  return { acceptance, located, diagnostics, notAccepted, held };
}

/** The refused records without results of devices that were deleted meanwhile, which are no fault of anybody. */
async function withoutDeleted<R extends Pick<Refused, 'item'>>(
  trx: Transaction<Tables>,
  { accountNo }: Sender,
  { refused, devices }: { readonly refused: readonly R[]; readonly devices: KnownDevices },
): Promise<readonly R[]> {
  const resultOf = ({ item: { parsed } }: R) => (parsed.kind === 'result' ? parsed.result : undefined);
  const unknown = refused.flatMap((one) => resultOf(one)?.deviceNo ?? []).filter((no) => !devices.has(no));
  if (unknown.length === 0) return refused;
  const deleted = await deletedDevices(trx, accountNo, unknown);
  return refused.filter((one) => {
    const result = resultOf(one);
    return result === undefined || !isOfDeleted(result, deleted);
  });
}

/** The Locations that the agent had since the first of these results started. */
async function locationsOf(trx: Transaction<Tables>, { agentNo }: Sender, results: readonly ParsedResult[]) {
  if (results.length === 0) return [];
  const firstUs = results.reduce((least, { startUs }) => Math.min(least, startUs), Number.MAX_SAFE_INTEGER);
  return locationsSince(trx, agentNo, firstUs);
}

async function loadAcceptance(
  trx: Transaction<Tables>,
  { agentNo }: Sender,
  results: readonly ParsedResult[],
  { runRequests, nowUs, retentionDays }: AcceptanceDeps,
) {
  const firsts = new Map<number, number>();
  for (const { deviceNo, startUs } of results)
    firsts.set(deviceNo, Math.min(firsts.get(deviceNo) ?? startUs, startUs));
  const assigned = await assignedSpans(trx, agentNo, firsts);
  const runRequestIds = results.flatMap(({ runRequestId }) => runRequestId ?? []);
  const requested = await runRequests.requestedChecks(trx, agentNo, runRequestIds);
  let firstEndUs = Number.POSITIVE_INFINITY;
  for (const spans of assigned.values())
    for (const { toUs } of spans) firstEndUs = Math.min(firstEndUs, toUs ?? firstEndUs);
  // When no assignment ended, the times of the agent's connections decide nothing.
  const hasEnded = Number.isFinite(firstEndUs);
  const connected = hasEnded ? await connectedSpans(trx, agentNo, firstEndUs) : [];
  return { nowUs, oldestUs: nowUs - retentionDays * dayUs, assigned, connected, requested };
}

function add(a: BatchOutcome, b: BatchOutcome): BatchOutcome {
  return {
    inserted: a.inserted + b.inserted,
    repeated: a.repeated + b.repeated,
    quarantined: a.quarantined + b.quarantined,
  };
}

/** The results and diagnostics that ingest accepts, and the others as records for the quarantine. */
function judge({ results, diagnostics: allDiagnostics }: Sorted, acceptance: Acceptance) {
  const accepted: ParsedResult[] = [];
  const diagnostics: ParsedDiagnostics[] = [];
  const refused: { readonly item: Item; readonly reason: string }[] = [];
  for (const { item, result } of results) {
    const reason = refusal(result, acceptance);
    if (reason === undefined) accepted.push(result);
    else refused.push({ item, reason });
  }
  for (const { item, diagnostics: one } of allDiagnostics) {
    const reason = strangerReason(one, acceptance.devices);
    if (reason === undefined) diagnostics.push(one);
    else refused.push({ item, reason });
  }
  return { accepted, diagnostics, refused };
}
