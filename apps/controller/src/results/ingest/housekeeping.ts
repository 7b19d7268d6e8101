import { dayUs, hourMs } from '@vantage/domain';
import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import {
  clampStoredTimes,
  type Db,
  dropQuarantined,
  oldestPartitionUs,
  type Partitions,
  releaseLeases,
  renewLease,
  startOfDay,
  takeLeases,
} from '@vantage/storage';
import { sql } from 'kysely';
import type { DayPacker } from '../packing/pack-days.ts';
import { dropDaysOfDeleted, dropPackedDays, firstPackedUs } from '../packing/packed-days-store.ts';
import { dropFacts } from './check-facts.ts';
import { dropPendingDiagnostics } from './diagnostics-store.ts';

/** Periodic work on stored data. */
export interface Housekeeping {
  /** Runs until the signal aborts; one controller at a time does the work. */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 30_000;
const leaseMs = 120_000;
const maxQuarantined = 100_000;
const timesAhead = 'times that are ahead';
/** An agent keeps undelivered results for a week. Diagnostics wait a day longer for their result. */
const waitingUs = 8 * dayUs;

/**
 * Creates the loop for partitions, roll-ups and retention. `ensure` makes the partitions before the first result
 * arrives.
 */
export function createHousekeeping({
  db,
  clock,
  log,
  partitions,
  rollUp,
  retentionDays,
  holder,
  deleteRunRequests,
  deleteControllers,
  deleteOldAnswers,
  deleteOldMarks,
  packer,
  trim = async () => {},
  mayDelete = () => true,
  provenUs = async () => clock.nowUs(),
  wasAhead = () => false,
  takeWaiting = async () => {},
}: Omit<Pruning, 'nowUs'> & {
  readonly clock: Clock;
  /** False while the controller's clock may be wrong: nothing is deleted by its age then. */
  readonly mayDelete?: () => boolean;
  /** The time from which ages count, microseconds since 1970; absent: the clock's. Called every 30 s at least. */
  readonly provenUs?: () => Promise<number>;
  /** The clock was ahead, so that times were stored that are later than now. */
  readonly wasAhead?: () => boolean;
  /** Takes records in quarantine in again that wait; each controller does it. */
  readonly takeWaiting?: () => Promise<void>;
  /** Packs old days; undefined: they stay rows. */
  readonly packer?: DayPacker | undefined;
  readonly log: Logger;
  readonly partitions: Partitions;
  readonly rollUp: { run(): Promise<unknown> };
  /** This controller's id. */
  readonly holder: string;
  /** Lets another step drop its rows that are older than the checks that are kept (`beforeUs`). */
  readonly trim?: (kysely: Db['kysely'], beforeUs: number) => Promise<void>;
}): Housekeeping {
  const doneAtMs = new Map<string, number>();
  const parts = createJobParts({
    log,
    failed: 'housekeeping of stored data failed; trying again',
    recovered: 'housekeeping works again',
  });
  const deletions = (nowUs: number): Record<string, () => Promise<unknown>> => ({
    'old partitions': () => partitions.drop(nowUs),
    ...pruning({
      db,
      nowUs,
      retentionDays,
      deleteRunRequests,
      deleteControllers,
      deleteOldAnswers,
      deleteOldMarks,
    }),
    'old states': async () => trim(db.kysely, await unneededUs(db, nowUs - retentionDays * dayUs)),
  });

  /** Once an hour, and at once again while work is left (`work` returns false). */
  const inParts = async (name: string, work: () => Promise<boolean>) => {
    const lastMs = doneAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
    if (clock.monoMs() - lastMs < hourMs) return;
    await parts.attempt(name, async () => {
      if (await work()) doneAtMs.set(name, clock.monoMs());
    });
  };

  const runOnce = async () => {
    const [lease] = await takeLeases(db.kysely, ['housekeeping'], holder, leaseMs);
    if (!lease) return;
    using renewal = renewLease({ db: db.kysely, lease, ttlMs: leaseMs, clock });
    const nowUs = Math.min(await provenUs(), clock.nowUs());
    if (wasAhead()) doneAtMs.delete(timesAhead);
    const jobs: ReturnType<typeof deletions> = {
      [timesAhead]: async () => {
        const columns = await clampStoredTimes(db.kysely, clock.nowUs());
        if (columns.length > 0)
          log.warn({ columns }, 'times that were stored while the clock was ahead are now');
      },
      'partitions to come': () => partitions.ensure(),
      ...(mayDelete() ? deletions(nowUs) : {}),
    };
    for (const [name, work] of Object.entries(jobs)) {
      if (renewal.isLost) return;
      const lastMs = doneAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
      if (clock.monoMs() - lastMs < hourMs) continue;
      if (await parts.attempt(name, work)) doneAtMs.set(name, clock.monoMs());
    }
    if (!renewal.isLost) await parts.attempt('roll-up', () => rollUp.run());
    if (!renewal.isLost) await inParts('narrow key', () => partitions.narrowIndex());
    if (packer !== undefined && !renewal.isLost) await inParts('packed days', () => packer.run());
  };

  return {
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('waiting records', takeWaiting);
        await parts.attempt('lease', runOnce);
        await clock.sleep(everyMs, signal).catch(() => {});
      }
      await releaseLeases(db.kysely, holder, 'housekeeping').catch(() => {});
    },
  };
}

/** The time before which no checks are stored. Rows that belong to checks are dropped after them. */
async function unneededUs({ kysely }: Db, retainedUs: number): Promise<number> {
  const oldestRowUs = (await oldestPartitionUs(kysely)) ?? retainedUs;
  const packedUs = await firstPackedUs(kysely);
  return Math.min(retainedUs, oldestRowUs, packedUs === undefined ? retainedUs : startOfDay(packedUs));
}

interface Pruning {
  readonly db: Db;
  /** The time from which ages count. */
  readonly nowUs: number;
  readonly retentionDays: number;
  /** Deletes the run requests that ended and were created before `beforeUs`. */
  readonly deleteRunRequests: (kysely: Db['kysely'], beforeUs: number) => Promise<void>;
  /** Deletes the rows of controllers that were last seen before `beforeUs`. */
  readonly deleteControllers: (kysely: Db['kysely'], beforeUs: number) => Promise<void>;
  /** Deletes the answers that were kept for repetitions of requests before `beforeUs`. */
  readonly deleteOldAnswers: (kysely: Db['kysely'], beforeUs: number) => Promise<void>;
  /** Deletes the marks on time axes that are too old or too many. */
  readonly deleteOldMarks: (kysely: Db['kysely'], nowUs: number) => Promise<void>;
}

/** Deletions by age or number, each one a job. */
function pruning({
  db,
  nowUs,
  retentionDays,
  deleteRunRequests,
  deleteControllers,
  deleteOldAnswers,
  deleteOldMarks,
}: Pruning): Record<string, () => Promise<unknown>> {
  const { kysely } = db;
  return {
    'old quarantined records': () =>
      sql`delete from quarantined where not waits and (received_us < ${nowUs - 30 * dayUs}
      or quarantined_no <= (select max(quarantined_no) from quarantined) - ${maxQuarantined})`.execute(
        kysely,
      ),
    'old run requests': () => deleteRunRequests(kysely, nowUs - dayUs),
    'old facts of checks': async () => dropFacts(kysely, await unneededUs(db, nowUs - retentionDays * dayUs)),
    'pending diagnostics': () => dropPendingDiagnostics(kysely, nowUs - waitingUs),
    'old clock records': async () => {
      const beforeUs = await unneededUs(db, nowUs - retentionDays * dayUs);
      return sql`delete from clock_records where at_us < ${beforeUs}::bigint`.execute(kysely);
    },
    'old packed days': () => dropPackedDays(kysely, nowUs - retentionDays * dayUs),
    'packed days of deleted devices': () => dropDaysOfDeleted(kysely),
    'controllers that ended': () => deleteControllers(kysely, nowUs - dayUs),
    'old answers': () => deleteOldAnswers(kysely, nowUs - dayUs),
    'old marks': () => deleteOldMarks(kysely, nowUs),
    'old quarantine': () => dropQuarantined(kysely, nowUs),
  };
}
