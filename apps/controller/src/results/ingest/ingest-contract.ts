import type { Tables } from '@vantage/storage';
import type { Transaction } from 'kysely';
import type { ExpectedCheck } from './accept.ts';
import type { Sorted } from './sort-items.ts';
import type { MarksAnswered } from './store-checks.ts';

/** The sender of a batch, known from its credentials only. */
export interface SendingAgent {
  readonly agentNo: number;
  readonly accountNo: number;
  /** For the log, where they are known. */
  readonly names?: { readonly agent: string; readonly location: string };
}

/** The outcome of a batch's records. */
export interface StoredRecords {
  /** Results that are new. */
  readonly inserted: number;
  /** Results that were stored already. */
  readonly repeated: number;
  /** Records that were quarantined with a reason. */
  readonly quarantined: number;
}

/** The stored run requests, as the ingest uses them. */
export interface AnsweredRunRequests extends MarksAnswered {
  /** The checks that these run requests want from this agent, by run request id. */
  requestedChecks(
    trx: Transaction<Tables>,
    agentNo: number,
    runRequestIds: readonly string[],
  ): Promise<ReadonlyMap<string, ExpectedCheck>>;
  /** Answers trials with their results. Resolves with the records that are of no trial. */
  takeTrials(trx: Transaction<Tables>, agentNo: number, records: Sorted): Promise<Sorted>;
}
