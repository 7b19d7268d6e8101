import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Transaction } from 'kysely';
import { entityManagerOn } from '../schema/entity-manager-on.ts';
import type { Tables } from '../schema/tables.ts';
import type { Batch } from './batch.ts';

/** An open transaction on the catalog, in two forms on the same connection. */
export interface CatalogTransaction {
  /** A fork for this transaction only; it never begins a transaction. */
  readonly em: EntityManager;
  /**
   * For locks, notifications and statements about many rows. Call `em.flush()` first when the statement depends on
   * changes of `em`.
   */
  readonly trx: Transaction<Tables>;
  /** The atomic batch of which this is a part; undefined: none. */
  readonly batch: Batch | undefined;
}

/**
 * See `Db.catalogTransaction`.
 *
 * Kysely begins the transaction and passes it to the ORM, because the ORM's own transactions (`em.transactional`, and
 * `em.flush` outside a transaction) never return the connection to the pool when the server ends it before the commit.
 */
export async function inCatalog<T>(
  { orm, trx, batch }: { readonly orm: MikroORM } & Omit<CatalogTransaction, 'em'>,
  work: (transaction: CatalogTransaction) => Promise<T>,
): Promise<T> {
  const em = entityManagerOn(orm, trx);
  const result = await work({ em, trx, batch });
  await em.flush();
  return result;
}
