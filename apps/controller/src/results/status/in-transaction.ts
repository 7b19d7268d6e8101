import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';

/** Works inside the given transaction, or inside a new one. */
export function inTransaction<T>(db: Kysely<Tables>, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
