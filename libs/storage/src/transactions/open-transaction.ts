import type { MikroORM } from '@mikro-orm/postgresql';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
  type Transaction,
} from 'kysely';
import type { Db } from '../db-access.ts';
import { entityManagerOn } from '../schema/entity-manager-on.ts';
import type { Tables } from '../schema/tables.ts';
import { workInScope } from '../scope/tag-scope.ts';
import { type Batch, createBatch } from './batch.ts';
import { inCatalog } from './catalog-transaction.ts';
import { transactionOn } from './pipelined.ts';

const savepoint = {
  begin: CompiledQuery.raw('savepoint part'),
  release: CompiledQuery.raw('release savepoint part'),
  rollback: CompiledQuery.raw('rollback to savepoint part'),
} as const;

/** The connection of an open transaction, and whether a part of it has failed. */
interface OpenTransaction {
  /** Rejects after a part failed. */
  send<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  readonly orm: () => Promise<MikroORM>;
  /** Called after the commit. */
  acts: (() => void)[];
  failed: { readonly error: unknown } | undefined;
  /** Settles when the savepoint that was begun last is closed. */
  savepoint: Promise<void>;
}

/**
 * Runs `work` in a new transaction. It commits when `work` returns, and is rolled back when `work` or a part of the
 * transaction fails.
 */
export async function runTransaction<T>(
  { kysely, orm }: { readonly kysely: Kysely<Tables>; readonly orm: () => Promise<MikroORM> },
  work: (db: Db) => Promise<T>,
): Promise<T> {
  let acts: readonly (() => void)[] = [];
  const outcome = await kysely.transaction().execute((trx) =>
    trx.getExecutor().provideConnection(async (connection) => {
      const open = openOn(connection, orm);
      // Kysely refuses a statement that comes after the end.
      const own = transactionOn(trx, (query) => open.send(query));
      const done = await work(dbOf(open, own, undefined));
      if (open.failed !== undefined) throw open.failed.error;
      acts = open.acts;
      return done;
    }),
  );
  for (const act of acts) act();
  return outcome;
}

function openOn(connection: DatabaseConnection, orm: () => Promise<MikroORM>): OpenTransaction {
  const open: OpenTransaction = {
    async send<R>(query: CompiledQuery) {
      if (open.failed !== undefined) throw open.failed.error;
      return connection.executeQuery<R>(query);
    },
    orm,
    acts: [],
    failed: undefined,
    savepoint: Promise.resolve(),
  };
  return open;
}

/** The access by an open transaction. */
function dbOf(open: OpenTransaction, kysely: Transaction<Tables>, batch: Batch | undefined): Db {
  /** A part that fails takes the whole transaction with it, also where the caller catches its error. */
  const part = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      open.failed ??= { error };
      throw error;
    }
  };
  const db: Db = {
    kysely,
    batch,
    entities: async () => entityManagerOn(await open.orm(), kysely),
    isInTransaction: () => true,
    afterCommit: (act) => void open.acts.push(act),
    inTransaction: (work) => part(() => work(db)),
    inBatch: (work) =>
      part(async () => {
        const fresh = createBatch(kysely);
        const done = await work(dbOf(open, kysely, fresh));
        await fresh.flush();
        return done;
      }),
    catalogTransaction: (work) =>
      part(async () => inCatalog({ orm: await open.orm(), trx: kysely, batch }, work)),
    async inScope(tagNos, work) {
      await batch?.flush();
      return inSavepoint(open, async () => {
        // Its own Kysely: what is remembered of this one (locks) ends with the savepoint.
        const own = transactionOn(kysely, (query) => open.send(query));
        return workInScope(own, tagNos, () => work(dbOf(open, own, undefined)));
      });
    },
  };
  return db;
}

/** Runs work that may fail without the rest of the transaction. Savepoints of one transaction come one by one. */
async function inSavepoint<T>(open: OpenTransaction, work: () => Promise<T>): Promise<T> {
  const before = open.savepoint;
  const { promise, resolve } = Promise.withResolvers<void>();
  open.savepoint = before.then(() => promise);
  await before;
  const outerActs = open.acts;
  open.acts = [];
  try {
    await open.send(savepoint.begin);
    const done = await work();
    if (open.failed !== undefined) throw open.failed.error;
    await open.send(savepoint.release);
    outerActs.push(...open.acts);
    return done;
  } catch (error) {
    open.failed = undefined;
    const undone = open.send(savepoint.rollback).then(() => open.send(savepoint.release));
    await undone.catch(() => {
      open.failed = { error };
    });
    throw error;
  } finally {
    open.acts = outerActs;
    resolve();
  }
}
