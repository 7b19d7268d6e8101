import type { Transaction } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import type { CheckRow } from './rows.ts';

/**
 * Turns newly inserted results into transitions and events, in the same transaction. `extended` is JSON text here. The
 * devices' locks are held. `held`: the rows are held on the coordinator, and the history of their devices may be away;
 * `drained`: they were folded as held ones, and are stored now.
 */
export type Fold = (
  trx: Transaction<Tables>,
  rows: readonly CheckRow[],
  nowUs: number,
  how?: 'stored' | 'held' | 'drained',
) => Promise<void>;

/** The function of the run requests that storing checks calls. */
export interface MarksAnswered {
  /** Answers run requests with the checks that name them. */
  markAnswered(
    trx: Transaction<Tables>,
    checks: readonly (CheckRow & { readonly check_id: string })[],
    nowUs: number,
  ): Promise<void>;
}
