import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  type Transaction,
} from 'kysely';
import { noRows } from './pipelined.ts';
import type { Tables } from './schema.ts';
import { createWhole, type WholeTransaction } from './waiting-writes.ts';

/** Transactions that the code inside joins without knowing it. */
interface JoinedTransactions {
  /** The same dialect; connections that are acquired inside `run` are that of its transaction. */
  dialect(base: Dialect): Dialect;
  /** See `Db.inTransaction`. */
  run<T>(kysely: Kysely<Tables>, work: () => Promise<T>, how?: { readonly whole: boolean }): Promise<T>;
  /** See `Db.whole`. */
  whole(): WholeTransaction | undefined;
  /** See `Db.afterCommit`. */
  afterCommit(act: () => void): void;
  /** See `Db.isInTransaction`. */
  isOpen(): boolean;
}

/** A transaction that is open. */
interface OpenTransaction {
  /** Sends a statement. Rejects when the transaction has ended. */
  send<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  /** Waits until no savepoint of this transaction is open; call the result when the new one is closed. */
  beginSavepoint(): Promise<() => void>;
  readonly acts: (() => void)[];
  readonly whole: WholeTransaction | undefined;
}

/**
 * Creates them for one pool.
 *
 * A request of several writers and readers has to commit as one thing: an answer that is kept for repetitions, a change
 * that was compared with an ETag, all operations of an atomic batch. The asynchronous context carries the transaction
 * to them, so that readers and writers stay as they are. A transaction inside another one is a savepoint.
 */
export function createJoinedTransactions(): JoinedTransactions {
  const context = new AsyncLocalStorage<OpenTransaction>();
  return {
    dialect: (base) => ({
      createDriver: () => joiningDriver(base.createDriver(), () => context.getStore()),
      createQueryCompiler: () => base.createQueryCompiler(),
      createAdapter: () => base.createAdapter(),
      createIntrospector: (db) => base.createIntrospector(db),
    }),
    async run(kysely, work, { whole = false } = { whole: false }) {
      const acts: (() => void)[] = [];
      const outcome = await kysely.transaction().execute((trx) =>
        trx.getExecutor().provideConnection(async (connection) => {
          const { open, finish, end } = openTransaction({ connection, trx, acts, isWhole: whole });
          try {
            const done = await context.run(open, work);
            await finish();
            return done;
          } finally {
            await end();
          }
        }),
      );
      const outer = context.getStore();
      if (outer !== undefined) outer.acts.push(...acts);
      else for (const act of acts) act();
      return outcome;
    },
    afterCommit(act) {
      const open = context.getStore();
      if (open === undefined) act();
      else open.acts.push(act);
    },
    isOpen: () => context.getStore() !== undefined,
    whole: () => context.getStore()?.whole,
  };
}

/** The transaction `trx` on its connection, for those who join it. */
function openTransaction({
  connection,
  trx,
  acts,
  isWhole,
}: {
  readonly connection: DatabaseConnection;
  readonly trx: Transaction<Tables>;
  readonly acts: (() => void)[];
  readonly isWhole: boolean;
}) {
  let ended = false;
  let closed: Promise<unknown> = Promise.resolve();
  const underWay = new Set<Promise<unknown>>();
  const execute = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    if (ended) throw new Error('a statement came after the end of its transaction');
    const sent = connection.executeQuery<R>(query);
    underWay.add(sent);
    try {
      return await sent;
    } finally {
      underWay.delete(sent);
    }
  };
  const whole = isWhole ? createWhole(trx, execute) : undefined;
  const open: OpenTransaction = {
    acts,
    whole,
    send: whole === undefined ? execute : (query) => whole.send(query),
    async beginSavepoint() {
      const before = closed;
      const { promise, resolve } = Promise.withResolvers<void>();
      closed = promise;
      await before;
      return resolve;
    },
  };
  /** Work that failed may leave statements behind: they must not reach the connection after the rollback. */
  const end = async (): Promise<void> => {
    ended = true;
    await Promise.allSettled(underWay);
  };
  return { open, finish: async () => whole?.finish(), end };
}

/** A connection that a transaction lends; it has no statement of its own under way when it is given back. */
interface LentConnection extends DatabaseConnection {
  readonly open: OpenTransaction;
  /** Of the savepoint that stands for a transaction on this connection. */
  close: (() => void) | undefined;
}

const savepoint = {
  begin: CompiledQuery.raw('savepoint joined'),
  release: CompiledQuery.raw('release savepoint joined'),
  rollback: CompiledQuery.raw('rollback to savepoint joined'),
} as const;

/** Lends the connection of the open transaction, where there is one, and uses the pool elsewhere. */
function joiningDriver(base: Driver, openNow: () => OpenTransaction | undefined): Driver {
  const lent = new WeakMap<DatabaseConnection, LentConnection>();
  const closeSavepoint = async ({ open, close }: LentConnection, rolledBack: boolean): Promise<void> => {
    try {
      if (rolledBack) await open.send(savepoint.rollback);
      await open.send(savepoint.release);
    } finally {
      close?.();
    }
  };
  return {
    ...savepointsOf(base),
    init: (options) => base.init(options),
    async acquireConnection(options) {
      const open = openNow();
      if (open === undefined) return base.acquireConnection(options);
      const connection = lend(open);
      lent.set(connection, connection);
      return connection;
    },
    async beginTransaction(connection, settings) {
      const own = lent.get(connection);
      if (own === undefined) return base.beginTransaction(connection, settings);
      own.close = await own.open.beginSavepoint();
      await own.open.send(savepoint.begin).catch((error: unknown) => {
        own.close?.();
        throw error;
      });
    },
    async commitTransaction(connection) {
      const own = lent.get(connection);
      return own === undefined ? base.commitTransaction(connection) : closeSavepoint(own, false);
    },
    async rollbackTransaction(connection) {
      const own = lent.get(connection);
      return own === undefined ? base.rollbackTransaction(connection) : closeSavepoint(own, true);
    },
    async releaseConnection(connection, options) {
      if (!lent.has(connection)) await base.releaseConnection(connection, options);
    },
    destroy: (options) => base.destroy(options),
  };
}

/** The commands of named savepoints; they are statements on whatever connection they get. */
function savepointsOf(base: Driver): Pick<Driver, 'savepoint' | 'rollbackToSavepoint' | 'releaseSavepoint'> {
  return {
    savepoint: async (...args) => base.savepoint?.(...args),
    rollbackToSavepoint: async (...args) => base.rollbackToSavepoint?.(...args),
    releaseSavepoint: async (...args) => base.releaseSavepoint?.(...args),
  };
}

function lend(open: OpenTransaction): LentConnection {
  return {
    open,
    close: undefined,
    executeQuery: (query) => open.send(query),
    streamQuery: noRows,
  };
}
