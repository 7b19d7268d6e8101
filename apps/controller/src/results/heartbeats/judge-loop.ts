import { dayUs } from '@vantage/domain';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import {
  bisectBatch,
  type Database,
  dbFailure,
  ownsLease,
  quarantine,
  releaseLeases,
  takeLeases,
} from '@vantage/storage';
import type { TimeScale } from '../../config/time-scale.ts';
import { dropOldLogs, dueHeartbeats, type KnownToken, postponeHeartbeats } from './heartbeat-store.ts';
import { confirmedUs, dropOldSpans, spansSince } from './receiver-store.ts';
import { type StoreReceived, storeMissed } from './store-heartbeats.ts';

const lease = 'heartbeats';
const leaseMs = 30_000;
const everyMs = 2_000;
const batchSize = 500;
const cleanEveryMs = 3_600_000;
/** Longer than MaxRunSeconds can be. */
const keptLogsUs = 35 * dayUs;
/** Uptime over the longest history reads them. */
const keptSpansUs = 10 * 365 * dayUs;
/** States of a clock that was ahead are looked for this often. */
const lookAheadEveryMs = 60_000;
/** A device whose stored values make its judgement fail is judged again after this time. */
const restUs = 3_600_000_000;
const maxAheadUs = 60_000_000;
/** Spans from this long ago tell which controllers serve now. */
const recentUs = 60_000_000;

/** Judges which calls are missing. */
export interface JudgeLoop {
  /** Judges all that is due now, if this controller has the lease. */
  judge(signal: AbortSignal): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

interface JudgeDeps extends StoreReceived {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly holder: string;
  readonly timeScale: TimeScale;
  readonly partitions: { ensure(): Promise<void> };
}

/**
 * Judges which calls are missing, at one controller at a time. It judges only moments before which every controller
 * has stored its calls, so a call that is on its way is never missing.
 */
export function createJudgeLoop({
  db,
  clock,
  log,
  holder,
  timeScale,
  partitions,
  storeReceived,
}: JudgeDeps): JudgeLoop {
  const { kysely } = db;

  let lookedAheadMs = Number.NEGATIVE_INFINITY;
  /** Judges one batch; true: there may be more. */
  const judgeSome = async (signal: AbortSignal): Promise<boolean> => {
    const [taken] = await takeLeases(kysely, [lease], holder, leaseMs);
    if (taken === undefined || signal.aborted) return false;
    const nowUs = clock.nowUs();
    const toUs = confirmedUs(await spansSince(kysely, nowUs - recentUs), nowUs);
    if (toUs === undefined) return false;
    const isToLookAhead = clock.monoMs() >= lookedAheadMs + lookAheadEveryMs;
    if (isToLookAhead) lookedAheadMs = clock.monoMs();
    const aheadUs = isToLookAhead ? toUs + maxAheadUs : null;
    const due = await dueHeartbeats(kysely, { toUs, aheadUs }, batchSize);
    if (due.length === 0) return false;
    const store = (some: readonly KnownToken[]) =>
      kysely.transaction().execute(async (trx) => {
        if (await ownsLease(trx, taken)) await storeMissed(trx, some, { storeReceived, toUs, nowUs });
      });
    const refused = await bisectBatch(due, (some) =>
      store(some).catch(async (error: unknown) => {
        if (dbFailure(error) !== 'no-partition') throw error;
        await partitions.ensure();
        await store(some);
      }),
    );
    await postponeHeartbeats(
      kysely,
      refused.map(({ item }) => item.deviceNo),
      nowUs + restUs,
    );
    const named = refused.map(({ item, error }) => ({ item: `device ${item.deviceNo}`, error }));
    await quarantine(kysely, named, { job: lease, nowUs, log });
    return due.length === batchSize;
  };

  let cleanedMs = Number.NEGATIVE_INFINITY;
  const clean = async () => {
    if (clock.monoMs() < cleanedMs + cleanEveryMs) return;
    cleanedMs = clock.monoMs();
    await dropOldLogs(kysely, clock.nowUs() - keptLogsUs);
    await dropOldSpans(kysely, clock.nowUs() - keptSpansUs);
  };

  const judge = async (signal: AbortSignal) => {
    while (!signal.aborted && (await judgeSome(signal)));
  };

  return {
    judge,
    async run(signal) {
      let wasGood = true;
      while (!signal.aborted) {
        try {
          await judge(signal);
          await clean();
          wasGood = true;
        } catch (error) {
          if (wasGood)
            log.warn({ error: messageOf(error) }, 'missing calls of jobs are judged in a later round');
          wasGood = false;
        }
        await clock.sleep(timeScale(everyMs, 100), signal).catch(() => {});
      }
      await releaseLeases(kysely, holder, lease).catch(() => {});
    },
  };
}
