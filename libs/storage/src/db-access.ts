import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { Tables } from './schema/tables.ts';
import type { Batch } from './transactions/batch.ts';
import type { CatalogTransaction } from './transactions/catalog-transaction.ts';

/** The ORM outside a transaction, where it only reads. */
type EntityReader = Pick<EntityManager, 'findOne' | 'findOneOrFail' | 'find' | 'count'>;

/** For functions that only read: on the primary, the connections of reads, a replica, or an open transaction. */
export type Reader = Pick<Db, 'kysely' | 'entities'>;

/**
 * One caller's access to the database: by the pool, the connections of reads, a replica, or an open transaction. Stores
 * take it as an argument. A caller's limit to tags is a part of it: its statements see and change only what the caller
 * may.
 */
export interface Db {
  /** For lists, joins and the data path. Write the catalog through `catalogTransaction`. */
  readonly kysely: Kysely<Tables>;
  /** Reads single rows of the catalog as entities. Each call has an empty identity map, so no entity is stale. */
  entities(): Promise<EntityReader>;
  /**
   * Runs `work` in one transaction: a new one, or this one. It commits when `work` returns. When `work` throws, all of
   * the transaction is rolled back, also where somebody catches the error.
   */
  inTransaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Like `inTransaction`; the `Db` of `work` has a `batch`, which is flushed at the end. */
  inBatch<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** The writes that an atomic batch combines; undefined: this is none. */
  readonly batch: Batch | undefined;
  /**
   * Like `inTransaction`. All statements inside see and change only the devices that have one of these tags, and what
   * belongs to these devices. Inside a transaction it is a savepoint: work that fails takes back its own writes only.
   * See `workInScope` for what it throws.
   */
  inScope<T>(tagNos: readonly number[], work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Like `inTransaction`, with the ORM. Every write of the catalog (the tables of `entities.ts`) goes through here. The
   * changes of `em` are flushed when `work` returns.
   */
  catalogTransaction<T>(work: (transaction: CatalogTransaction) => Promise<T>): Promise<T>;
  /** Whether this is an open transaction. */
  isInTransaction(): boolean;
  /** Calls `act` after the commit of this transaction, never after a rollback; outside of one immediately. */
  afterCommit(act: () => void): void;
}
