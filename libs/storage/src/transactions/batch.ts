import type { CompiledQuery, Kysely, QueryResult, Transaction } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { transactionOn } from './pipelined.ts';

/** Writes of one kind that an atomic batch collected. */
type Flush = (trx: Transaction<Tables>) => Promise<void>;

/**
 * The writes of an atomic batch that are combined: many operations add to them, and `flush` sends each kind as a few
 * statements. Until then no statement sees them, so whoever may read them flushes first.
 */
export interface Batch {
  /**
   * For reads that need nothing of what waits: a repeated read is answered from memory until the next flush. Only for
   * what nobody else can change, because the account is locked.
   */
  readonly reading: Transaction<Tables>;
  /** Writes everything that was collected, kinds in the order in which they were begun. */
  flush(): Promise<void>;
  /** For `combinedWrites`. */
  wait(flush: Flush): void;
}

/** One kind of combined writes; `T` collects them. */
export interface CombinedWrites<T> {
  /** The collection of this batch, to add to. */
  of(batch: Batch): T;
}

/** Creates a kind of combined writes. */
export function combinedWrites<T>({
  begin,
  write,
}: {
  readonly begin: () => T;
  readonly write: (trx: Transaction<Tables>, collected: T) => Promise<void>;
}): CombinedWrites<T> {
  const collections = new WeakMap<Batch, T>();
  return {
    of(batch) {
      const begun = collections.get(batch);
      if (begun !== undefined) return begun;
      const fresh = begin();
      collections.set(batch, fresh);
      batch.wait((trx) => {
        collections.delete(batch);
        return write(trx, fresh);
      });
      return fresh;
    },
  };
}

/** Creates the batch of an open transaction. */
export function createBatch(trx: Transaction<Tables>): Batch {
  let waiting: Flush[] = [];
  const answers = new Map<string, Promise<QueryResult<unknown>>>();
  return {
    reading: rememberingReads(trx, answers),
    wait: (flush) => void waiting.push(flush),
    async flush() {
      answers.clear();
      const due = waiting;
      waiting = [];
      for (const flush of due) await flush(trx);
    },
  };
}

function rememberingReads(
  trx: Kysely<Tables>,
  answers: Map<string, Promise<QueryResult<unknown>>>,
): Transaction<Tables> {
  return transactionOn(trx, async <R>(query: CompiledQuery) => {
    const key = JSON.stringify([query.sql, query.parameters]);
    const answer = answers.get(key) ?? trx.executeQuery(query);
    answers.set(key, answer);
    return (await answer) as QueryResult<R>;
  });
}
