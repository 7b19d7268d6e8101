import type { CompiledQuery, Kysely, QueryResult, Transaction } from 'kysely';
import { transactionOn } from './pipelined.ts';
import type { Tables } from './schema.ts';

/** Writes that wait for the end of a whole transaction, or for a statement that would notice that they are missing. */
interface Waiting {
  readonly isSeenBy: (statement: string) => boolean;
  readonly write: (trx: Transaction<Tables>) => Promise<void>;
}

/**
 * A transaction that commits with all its parts or not at all, so its parts need no savepoints, and many small writes
 * of them can wait and be done together.
 */
export interface WholeTransaction {
  /** For all statements of the parts. */
  readonly trx: Transaction<Tables>;
  /**
   * For reads of a part that knows what waits: nothing is written before them, and the same read is answered from
   * memory until another statement is sent.
   */
  readonly reading: Transaction<Tables>;
  wait(waiting: Waiting): void;
  /** How many statements its parts have sent by `trx`: what they read is as it was while this stays the same. */
  statements(): number;
  /** No statement comes after this, and the transaction is rolled back with this error. */
  fail(error: unknown): void;
}

/** A kind of writes that wait; `T` is what is gathered until they are done. */
interface WaitingWrites<T> {
  /** The writes that wait in this transaction, to add to. */
  of(whole: WholeTransaction): T;
}

/** Creates a kind. `isSeenBy` gets the text of a statement that is about to be sent. */
export function createWaitingWrites<T>({
  begin,
  isSeenBy,
  write,
}: {
  readonly begin: () => T;
  readonly isSeenBy: (statement: string) => boolean;
  readonly write: (trx: Transaction<Tables>, gathered: T) => Promise<void>;
}): WaitingWrites<T> {
  const gathered = new WeakMap<WholeTransaction, T>();
  return {
    of(whole) {
      const there = gathered.get(whole);
      if (there !== undefined) return there;
      const fresh = begin();
      gathered.set(whole, fresh);
      whole.wait({
        isSeenBy,
        write(trx) {
          gathered.delete(whole);
          return write(trx, fresh);
        },
      });
      return fresh;
    },
  };
}

/** The side of a whole transaction that its driver uses. */
interface WholeDriver extends WholeTransaction {
  /** Sends a statement of a part. */
  send<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  /** Writes all that waits; rejects where a part failed. */
  finish(): Promise<void>;
}

/** Creates one over `execute`, which sends a statement at once. `base` compiles the statements. */
export function createWhole(
  base: Kysely<Tables>,
  execute: <R>(query: CompiledQuery) => Promise<QueryResult<R>>,
): WholeDriver {
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let failed: { readonly error: unknown } | undefined;
  let statements = 0;
  const known = new Map<string, Promise<QueryResult<unknown>>>();

  const direct = transactionOn(base, execute);
  /** In the order in which they began to wait, so that what stands before another is written before it. */
  const write = async (due: readonly Waiting[]): Promise<void> => {
    waiting = waiting.slice(due.length);
    for (const each of due) await each.write(direct);
  };
  const writeUpTo = async (isLast: (each: Waiting) => boolean): Promise<void> => {
    while (writing !== undefined) await writing;
    const due = waiting.slice(0, waiting.findLastIndex(isLast) + 1);
    if (due.length === 0) return;
    writing = write(due).finally(() => {
      writing = undefined;
    });
    await writing;
  };
  const send = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    known.clear();
    statements += 1;
    // A write inside of a savepoint is lost with it.
    const isSavepoint = query.sql.startsWith('savepoint ');
    const isDue = (each: Waiting) => isSavepoint || each.isSeenBy(query.sql);
    if (writing !== undefined || waiting.some(isDue)) await writeUpTo(isDue);
    if (failed !== undefined) throw failed.error;
    return execute<R>(query);
  };
  const read = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    const key = JSON.stringify([query.sql, query.parameters]);
    const asked = known.get(key) ?? execute<unknown>(query);
    known.set(key, asked);
    return (await asked) as QueryResult<R>;
  };
  return {
    trx: transactionOn(base, send),
    reading: transactionOn(base, read),
    wait: (each) => void waiting.push(each),
    statements: () => statements,
    fail(error) {
      failed ??= { error };
    },
    send,
    async finish() {
      if (failed !== undefined) throw failed.error;
      await writeUpTo(() => true);
    },
  };
}
