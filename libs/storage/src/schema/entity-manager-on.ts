import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** A fork whose statements run on this Kysely. It never begins a transaction, and its identity map is empty. */
export function entityManagerOn(orm: MikroORM, kysely: Kysely<Tables>): EntityManager {
  // Without this option `em.transactional` would request a savepoint from Kysely, which only the ORM's own
  // transactions have.
  const em = orm.em.fork({ disableTransactions: true });
  // The ORM sends a statement by its context where it has one; a context need not be a transaction.
  em.setTransactionContext(kysely as Transaction<Tables>);
  return em;
}
