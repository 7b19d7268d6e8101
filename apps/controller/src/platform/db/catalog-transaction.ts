import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema.ts';
import type { WholeTransaction } from './waiting-writes.ts';

/** One open transaction on the catalog, in two forms on the same connection. */
export interface CatalogTransaction {
  /**
   * A fork for this transaction only: `create`, `findOne`, `assign`, `remove` and so on. It does not begin a
   * transaction of its own.
   */
  readonly em: EntityManager;
  /**
   * For locks, notifications and statements about many rows. Call `em.flush()` first when the statement needs what `em`
   * has changed.
   */
  readonly trx: Transaction<Tables>;
  /** The longer transaction that this one is a part of, where it commits as a whole. */
  readonly whole: WholeTransaction | undefined;
}

/**
 * See `Db.catalogTransaction`.
 *
 * Kysely begins the transaction and lends it to the ORM, because the ORM's own transactions (`em.transactional`, and
 * `em.flush` outside a transaction) keep the pool's connection for ever when the server ends it before the commit.
 */
export async function catalogTransaction<T>(
  {
    kysely,
    orm,
    whole,
  }: {
    readonly kysely: Kysely<Tables>;
    readonly orm: MikroORM;
    readonly whole: WholeTransaction | undefined;
  },
  work: (transaction: CatalogTransaction) => Promise<T>,
): Promise<T> {
  const run = async (trx: Transaction<Tables>): Promise<T> => {
    // Without this option `em.transactional` inside would ask Kysely for a savepoint, which only the ORM's own
    // transactions have.
    const em = orm.em.fork({ disableTransactions: true });
    em.setTransactionContext(trx);
    const result = await work({ em, trx, whole });
    await em.flush();
    return result;
  };
  if (whole === undefined) return kysely.transaction().execute(run);
  try {
    return await run(whole.trx);
  } catch (error) {
    whole.fail(error);
    throw error;
  }
}
