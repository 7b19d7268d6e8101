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
import type { Tables } from './schema.ts';

/**
 * A pipelined transaction is begun already, and the executor that it gets has its own connection: these parts stand
 * where Kysely wants some.
 */
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

/** Stands where a connection streams rows. */
export function noRows(): never {
  throw new Error('rows are not streamed inside a joined transaction');
}

/**
 * Sends statements of a transaction without waiting for the answers to those before (PostgreSQL, Frontend/Backend
 * Protocol, Pipelining), so that the server and this process wake once and not for each. `begin` gets the transaction
 * to send them by. What it starts first is done first; a second statement of the same function follows when its first
 * one is answered, so it may come after those of the others. Resolves with the outcomes when all are settled. Rejects
 * with the error that came first: the transaction is aborted then.
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
          // Those after it are refused because of it.
          first ??= { error };
        }),
      ),
    );
    if (first !== undefined) throw first.error;
    return outcomes as unknown as T;
  });
}
