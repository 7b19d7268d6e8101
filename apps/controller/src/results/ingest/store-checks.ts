import { hourUs, minuteUs } from '@vantage/domain';
import { type Database, type LockedDevice, pipelined, type Tables } from '@vantage/storage';
import { notPacked } from '@vantage/storage/packed';
import type { Transaction } from 'kysely';
import { addCheckCounts } from './check-counts.ts';
import { createFactsNumbering } from './check-facts.ts';
import { type CheckRow, toRow } from './check-row.ts';
import { addPendingDiagnostics } from './diagnostics-store.ts';
import { insertChecks, withIds } from './insert-checks.ts';
import { createSeriesNumbering } from './number-series.ts';
import type { ParsedResult } from './parse-record.ts';
import { createBaselines, type PastHistograms, perfOf } from './perf-stat.ts';

/** An accepted result and the Location from which its check ran. */
interface LocatedResult {
  readonly result: ParsedResult;
  readonly locationNo: number;
}

/** The batch of the results. */
interface About {
  readonly sender: { readonly agentNo: number; readonly accountNo: number };
  readonly nowUs: number;
  readonly devices: ReadonlyMap<number, Pick<LockedDevice, 'method'>>;
}

/**
 * Stores accepted results of one agent and folds them, under the devices' locks; returns what is new. Results of packed
 * days ask the server of these days, and reject with HistoryAway where it does not answer.
 */
type StoreChecks = (
  trx: Transaction<Tables>,
  located: readonly LocatedResult[],
  about: About,
) => Promise<CheckRow[]>;

/** The roll-up of an hour begins at least twice this after its end. */
const rollUpGraceUs = minuteUs;

/** The functions of other steps that storing calls. */
export interface CheckStoreDeps {
  readonly db: Database;
  readonly fold: Fold;
  readonly runRequests: MarksAnswered;
  readonly rollUps: { readonly pastHistograms: PastHistograms };
}

/** Creates the function. It has caches of facts, series and past latencies. */
export function createStoreChecks({ db, fold, runRequests, rollUps }: CheckStoreDeps): StoreChecks {
  const baselines = createBaselines(rollUps.pastHistograms);
  const numberFacts = createFactsNumbering(() => db.pool.opened);
  const numberSeries = createSeriesNumbering(() => db.pool.opened);
  return async (trx, located, { sender, nowUs, devices }) => {
    const limits = await baselines.limits(trx, located);
    const measured = await numberSeries(
      trx,
      located.map(({ result }) => result),
    );
    const rows = located.map(({ result, locationNo }, i) => {
      const agent = { agentNo: sender.agentNo, locationNo };
      return toRow(result, agent, perfOf(result, limits[i]), nowUs, measured[i] ?? null);
    });
    const inserted = await insertChecks(trx, await notPacked(trx, rows, nowUs), numberFacts);
    if (inserted.length > 0)
      await pipelined(trx, (pipe) => [
        addCheckCounts(pipe, sender, inserted, devices),
        runRequests.setAnswered(pipe, withIds(inserted), nowUs),
        addPendingDiagnostics(pipe, sender.agentNo, inserted),
        fold(pipe, inserted, nowUs),
      ]);
    return inserted;
  };
}

/** The begins of hours that are rolled up already and have these checks. */
export function lateHours(rows: readonly CheckRow[], nowUs: number): number[] {
  return rows
    .map((row) => row.start_us - (row.start_us % hourUs))
    .filter((bucket) => bucket + hourUs + rollUpGraceUs < nowUs);
}

/**
 * Turns newly inserted results into transitions and events, in the same transaction. `extended` is JSON text here. The
 * devices' locks are held.
 */
export type Fold = (trx: Transaction<Tables>, rows: readonly CheckRow[], nowUs: number) => Promise<void>;

/** The function of the run requests that storing checks calls. */
export interface MarksAnswered {
  /** Answers run requests with the checks that name them. */
  setAnswered(
    trx: Transaction<Tables>,
    checks: readonly (CheckRow & { readonly check_id: string })[],
    nowUs: number,
  ): Promise<void>;
}
