import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Kysely requires these parts. They are unused: the transaction has begun, and its executor has its connection. */
const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
const parts = { config: { dialect }, dialect, driver: dialect.createDriver() };

/** A transaction that sends its statements by `execute`; it is begun and ended elsewhere. */
export function transactionOn(
  base: Kysely<Tables>,
  execute: <R>(query: CompiledQuery) => Promise<QueryResult<R>>,
): Transaction<Tables> {
  const connection: DatabaseConnection = { executeQuery: execute, streamQuery: noRows };
  const executor = base.getExecutor().withConnectionProvider({ provideConnection: (use) => use(connection) });
  return new Transaction<Tables>({ ...parts, executor });
}

/** For connections that stream no rows. */
function noRows(): never {
  throw new Error('rows are not streamed inside a joined transaction');
}

/**
 * Sends statements of a transaction without waiting for the answers to the previous ones (PostgreSQL, Frontend/Backend
 * Protocol, Pipelining), so that the server and this process wake once instead of once per statement. `begin` sends
 * them through its transaction. Statements run in the order in which they are sent: when a function of `begin` sends a
 * second statement after the answer to its first, the statements of the other functions may run before it. Resolves
 * with all outcomes. Rejects with the first error, which has aborted the transaction.
 */
export async function pipelined<T extends readonly unknown[]>(
  trx: Kysely<Tables>,
  begin: (trx: Transaction<Tables>) => { readonly [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  const executor = trx.getExecutor();
  return executor.provideConnection(async (connection) => {
    const open = executor.withConnectionProvider({ provideConnection: (use) => use(connection) });
    let first: { readonly error: unknown } | undefined;
    const outcomes = await Promise.all(
      begin(new Transaction<Tables>({ ...parts, executor: open })).map((outcome) =>
        outcome.catch((error: unknown) => {
          // The statements after it fail because of it.
          first ??= { error };
        }),
      ),
    );
    if (first !== undefined) throw first.error;
    return outcomes as unknown as T;
  });
}
