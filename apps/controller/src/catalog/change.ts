import type { Kysely } from 'kysely';
import type { Db, Tables } from '../db/index.ts';

/** Who changes the catalog: a caller of the REST API by the key and the address, or the operator by a command. */
export type Actor =
  | { readonly kind: 'api-key'; readonly keyNo: number; readonly address: string }
  | { readonly kind: 'command-line' };

/** A kind of thing in the catalog. */
export type CatalogKind = 'account' | 'key' | 'location' | 'agent' | 'device' | 'tag' | 'secret';

/** One change of one thing. */
export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: CatalogKind;
  readonly accountNo: number;
  /** The public id of the thing. */
  readonly id: string;
  /** Names of the changed fields as the REST API names them; values stand nowhere here, because they may be secrets. */
  readonly fields: readonly string[];
}

/** Changes that one transaction made, with their actor. */
export interface RecordedChanges {
  readonly actor: Actor;
  readonly changes: readonly Change[];
}

/** Records changes in the transaction that made them. */
export type RecordChanges = (trx: Kysely<Tables>, recorded: RecordedChanges) => Promise<void>;

/** An open transaction that changes the catalog. A writer takes one and records each change that it makes. */
export interface CatalogTransaction {
  readonly kysely: Kysely<Tables>;
  readonly actor: Actor;
  record(change: Change): void;
}

/** The catalog as its writers' callers see it. */
export interface Catalog {
  /**
   * Runs writers in one transaction. The changes that they record are handed to `recordChanges` before the commit. Everything is
   * rolled back when `work` throws; an outcome that `work` returns commits.
   */
  change<T>(actor: Actor, work: (transaction: CatalogTransaction) => Promise<T>): Promise<T>;
}

/** Makes the only door through which the catalog is written. */
export function createCatalog({
  db,
  recordChanges,
}: {
  readonly db: Pick<Db, 'kysely'>;
  readonly recordChanges: RecordChanges;
}): Catalog {
  return {
    change: (actor, work) =>
      db.kysely.transaction().execute(async (trx) => {
        const changes: Change[] = [];
        const outcome = await work({ kysely: trx, actor, record: (change) => void changes.push(change) });
        if (changes.length > 0) await recordChanges(trx, { actor, changes });
        return outcome;
      }),
  };
}
