import { isDeepStrictEqual } from 'node:util';
import { type AccountLimits, defaultLimits } from '@vantage/domain';
import type { Session } from '@vantage/rest-kit/session';
import { type CatalogTransaction, combinedWrites, type Db, type Tables } from '@vantage/storage';
import type { Transaction } from 'kysely';
import { lockAccountOfKey, NeedsWholeLock } from './account-lock.ts';
import type { FieldChange } from './field-changes.ts';
import { retryAfterDeadlock } from './retry-after-deadlock.ts';

/** The author of a change: a caller of the REST API with a key, one without a key, or the operator by a command. */
export type Actor =
  | { readonly kind: 'api-key'; readonly keyNo: number; readonly address: string }
  | { readonly kind: 'stranger'; readonly address: string }
  | { readonly kind: 'command-line' };

/** The actor of a REST request. */
export function actorOf({ keyNo, address }: Session): Actor {
  return { kind: 'api-key', keyNo, address };
}

/** A kind of thing in the catalog. */
type CatalogKind =
  | 'account'
  | 'key'
  | 'location'
  | 'agent'
  | 'device'
  | 'devices'
  | 'tag'
  | 'secret'
  | 'contact'
  | 'nschedule'
  | 'mschedule'
  | 'hook'
  | 'page'
  | 'report'
  | 'alert'
  | 'session'
  | 'user'
  | 'maintenance'
  | 'outage'
  | 'mark'
  | 'delivery'
  | 'installation';

/** One change of one thing. */
export interface Change {
  readonly action: 'create' | 'update' | 'delete' | 'refuse';
  readonly kind: CatalogKind;
  readonly accountNo: number;
  /** The public id of the thing. */
  readonly id: string;
  /** The changed fields, as `createdFields`, `changedFields` or `deletedFields` makes them. */
  readonly fields: readonly FieldChange[];
}

/** The changes of a transaction, and their actor. */
export interface RecordedChanges {
  readonly actor: Actor;
  readonly changes: readonly Change[];
}

/** Records changes in the transaction that made them. */
type RecordChanges = (trx: Transaction<Tables>, recorded: RecordedChanges) => Promise<void>;

/**
 * An open transaction that changes the catalog. Every function that writes the catalog takes one; the writer records
 * each change.
 */
export interface ChangeTransaction extends CatalogTransaction {
  readonly actor: Actor;
  readonly limits: AccountLimits;
  record(change: Change): void;
}

/** Changes of the catalog. Nothing else writes it. */
export interface Catalog {
  /** The maximum of each kind of thing in an account. */
  readonly limits: AccountLimits;
  /**
   * Runs writers in one transaction. A caller of the REST API locks its account first, so everything that was compared
   * in this transaction (an ETag, a limit) holds until the commit; writers for the operator take the lock themselves.
   * `recordChanges` gets the recorded changes before the commit. If `work` throws, the transaction is rolled back.
   * After a deadlock `work` runs again in a new transaction.
   */
  change<T>(db: Db, actor: Actor, work: (transaction: ChangeTransaction) => Promise<T>): Promise<T>;
  /**
   * Like `change`, for a writer that adds a thing and compares nothing. Such changes of one account run concurrently,
   * so they share commits to disk. Changes of existing things wait for them, and the reverse. A writer that locks the
   * account runs again as with `change`. Inside a longer transaction the lock is the whole one from the start.
   */
  add<T>(db: Db, actor: Actor, work: (transaction: ChangeTransaction) => Promise<T>): Promise<T>;
  /**
   * Prevents other changes of the account until the transaction `db` ends.
   */
  lockAccount(db: Db, caller: { readonly accountNo: number; readonly keyNo: number }): Promise<void>;
}

/**
 * Runs work of another step in a transaction of the catalog, for a caller of the API. The recorded changes are in the
 * audit when it commits.
 */
export type ChangeByCaller = <T>(
  db: Db,
  session: Session,
  work: (transaction: Pick<ChangeTransaction, 'trx' | 'record'>) => Promise<T>,
) => Promise<T>;

/** Creates the catalog. */
export function createCatalog({
  recordChanges,
  limits = defaultLimits,
}: {
  readonly recordChanges: RecordChanges;
  readonly limits?: AccountLimits | undefined;
}): Catalog {
  const recordedLater = combinedWrites<RecordedChanges[]>({
    begin: () => [],
    async write(trx, recorded) {
      for (const ofActor of joinedByActor(recorded)) await recordChanges(trx, ofActor);
    },
  });
  const runOnce = <T>(
    db: Db,
    actor: Actor,
    work: (transaction: ChangeTransaction) => Promise<T>,
    lock: 'shared' | 'whole',
  ): Promise<T> =>
    db.catalogTransaction(async ({ em, trx, batch }) => {
      const changes: Change[] = [];
      if (actor.kind === 'api-key') await lockAccountOfKey(trx, actor.keyNo, lock);
      const record = (change: Change) => void changes.push(change);
      const outcome = await work({ em, trx, batch, actor, limits, record });
      await em.flush();
      if (changes.length === 0) return outcome;
      if (batch === undefined) await recordChanges(trx, { actor, changes });
      else recordedLater.of(batch).push({ actor, changes });
      return outcome;
    });
  const run: typeof runOnce = (db, actor, work, lock) =>
    retryAfterDeadlock(db, () => runOnce(db, actor, work, lock));
  return {
    limits,
    change: (db, actor, work) => run(db, actor, work, 'whole'),
    async add(db, actor, work) {
      if (db.isInTransaction()) return run(db, actor, work, 'whole');
      try {
        return await run(db, actor, work, 'shared');
      } catch (error) {
        if (error instanceof NeedsWholeLock) return run(db, actor, work, 'whole');
        throw error;
      }
    },
    // The same lock as in `change`, which then sends no statement.
    lockAccount: (db, { keyNo }) => lockAccountOfKey(db.kysely, keyNo, 'whole'),
  };
}

/** Joins adjacent records of the same actor. Pure. */
function joinedByActor(recorded: readonly RecordedChanges[]): readonly RecordedChanges[] {
  const joined: { readonly actor: Actor; readonly changes: Change[] }[] = [];
  for (const { actor, changes } of recorded) {
    const last = joined.at(-1);
    if (last !== undefined && isDeepStrictEqual(last.actor, actor)) last.changes.push(...changes);
    else joined.push({ actor, changes: [...changes] });
  }
  return joined;
}
