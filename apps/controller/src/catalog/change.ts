import { isDeepStrictEqual } from 'node:util';
import { type AccountLimits, defaultLimits } from '@vantage/domain';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type CatalogTransaction, createWaitingWrites, type Db, type Tables } from '../platform/db/index.ts';
import { stateOf } from '../platform/db/pg-error.ts';
import type { Session } from '../rest/http/session.ts';

/**
 * Who changes the catalog: a caller of the REST API by the key and the address, somebody who has none, or the operator
 * by a command.
 */
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
  | 'delivery';

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

/** The changes that one transaction made, and their actor. */
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

/** The only door through which the catalog is written. */
export interface Catalog {
  /** How many things of each kind an account may have. */
  readonly limits: AccountLimits;
  /**
   * Runs writers in one transaction. A caller of the REST API locks its account first, so that what it compared in this
   * transaction (an ETag, a limit) holds until the commit; writers for the operator do so by themselves.
   * `recordChanges` gets the recorded changes before the commit. When `work` throws, everything is rolled back; when it
   * returns, everything commits. After a deadlock `work` runs again in a new transaction.
   */
  change<T>(actor: Actor, work: (transaction: ChangeTransaction) => Promise<T>): Promise<T>;
  /**
   * Like `change`, for a writer that mostly adds a thing and compares nothing: such changes of one account do not wait
   * for each other, and share the database's writes to its disk. Changes of things that are there wait for them and the
   * reverse. A writer that locks the account is begun again as by `change`, and so is one inside a longer transaction,
   * whose lock must be the whole one from the start.
   */
  add<T>(actor: Actor, work: (transaction: ChangeTransaction) => Promise<T>): Promise<T>;
  /**
   * Keeps everybody else from changing the account until the transaction ends that the caller runs in
   * (`Db.inTransaction`).
   */
  lockAccount(caller: { readonly accountNo: number; readonly keyNo: number }): Promise<void>;
}

const deadlock = '40P01';
const maxRepeats = 3;

/** Creates the door. */
export function createCatalog({
  db,
  recordChanges,
  limits = defaultLimits,
}: {
  readonly db: Pick<Db, 'catalogTransaction' | 'isInTransaction' | 'whole' | 'kysely'>;
  readonly recordChanges: RecordChanges;
  readonly limits?: AccountLimits | undefined;
}): Catalog {
  const recordedLater = createWaitingWrites<RecordedChanges[]>({
    begin: () => [],
    isSeenBy: (statement) => /\baudit\b/.test(statement),
    async write(trx, recorded) {
      for (const each of joinedByActor(recorded)) await recordChanges(trx, each);
    },
  });
  const runOnce = <T>(
    actor: Actor,
    work: (transaction: ChangeTransaction) => Promise<T>,
    lock: 'shared' | 'whole',
  ): Promise<T> =>
    db.catalogTransaction(async ({ em, trx, whole }) => {
      const changes: Change[] = [];
      if (actor.kind === 'api-key') await lockAccountOfKey(trx, actor.keyNo, lock);
      const record = (change: Change) => void changes.push(change);
      const outcome = await work({ em, trx, whole, actor, limits, record });
      await em.flush();
      if (changes.length === 0) return outcome;
      if (whole === undefined) await recordChanges(trx, { actor, changes });
      else recordedLater.of(whole).push({ actor, changes });
      return outcome;
    });
  const run: typeof runOnce = async (actor, work, lock) => {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await runOnce(actor, work, lock);
      } catch (error) {
        // PostgreSQL ended one of two transactions. A longer one that this is a part of is over as a whole.
        if (stateOf(error) !== deadlock || db.isInTransaction() || repeats === maxRepeats) throw error;
      }
    }
  };
  return {
    limits,
    change: (actor, work) => run(actor, work, 'whole'),
    async add(actor, work) {
      if (db.isInTransaction()) return run(actor, work, 'whole');
      try {
        return await run(actor, work, 'shared');
      } catch (error) {
        if (error instanceof NeedsWholeLock) return run(actor, work, 'whole');
        throw error;
      }
    },
    lockAccount({ accountNo, keyNo }) {
      const whole = db.whole();
      // In the form of `change`, which then has the lock and sends no statement.
      return whole === undefined
        ? lockAccount(db.kysely, accountNo)
        : lockAccountOfKey(whole.trx, keyNo, 'whole');
    },
  };
}

/** Neighbours of one actor as one. Pure. */
function joinedByActor(recorded: readonly RecordedChanges[]): readonly RecordedChanges[] {
  const joined: { readonly actor: Actor; readonly changes: Change[] }[] = [];
  for (const { actor, changes } of recorded) {
    const last = joined.at(-1);
    if (last !== undefined && isDeepStrictEqual(last.actor, actor)) last.changes.push(...changes);
    else joined.push({ actor, changes: [...changes] });
  }
  return joined;
}

/**
 * A field of a thing before and after a change, by its name in the REST API and as the API shows it: a secret is its
 * mask.
 */
export interface FieldChange {
  readonly field: string;
  /** null: the field had no value, or the thing did not exist. */
  readonly old: unknown;
  /** null: the field has no value, or the thing is deleted. */
  readonly new: unknown;
}

/** Values of fields by their names in the REST API, secrets masked. */
export type ShownFields = Readonly<Record<string, unknown>>;

/** The values without those that are null. Pure. */
export function present(values: ShownFields): ShownFields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** The fields of a new thing. Pure. */
export function createdFields(values: ShownFields): readonly FieldChange[] {
  return Object.entries(values).map(([field, value]) => ({ field, old: null, new: value ?? null }));
}

/** The fields of a deleted thing, by which people know it again. Pure. */
export function deletedFields(values: ShownFields): readonly FieldChange[] {
  return Object.entries(values).map(([field, value]) => ({ field, old: value ?? null, new: null }));
}

/** These fields, which differ between two states of a thing. Pure. */
export function changedFields(
  fields: readonly string[],
  old: ShownFields,
  next: ShownFields,
): readonly FieldChange[] {
  return fields.map((field) => ({ field, old: old[field] ?? null, new: next[field] ?? null }));
}

/** An answer shows this text in the place of a secret. */
export const mask = '***';

/** A field whose values are secret: the record says only that it changed. Pure. */
export function secretField(field: string, hadValue: boolean): FieldChange {
  return { field, old: hadValue ? mask : null, new: mask };
}

/** How much of an account a transaction has locked: `shared` keeps others from changing things that are there. */
type AccountLock = 'shared' | 'whole';

/** The accounts that open transactions have locked, so that no transaction asks twice. */
const locked = new WeakMap<Kysely<Tables>, Map<number, AccountLock>>();

/** The keys whose accounts open transactions have locked as a whole. */
const lockedKeys = new WeakMap<Kysely<Tables>, Set<number>>();

/**
 * A transaction with a shared lock needs the whole one. Two of them would wait for each other, so it is begun again.
 */
class NeedsWholeLock extends Error {
  override readonly name = 'NeedsWholeLock';
}

/** Locks the account until the transaction ends. Every change of the catalog gets this lock first. */
export async function lockAccount(trx: Kysely<Tables>, accountNo: number): Promise<void> {
  const held = locked.get(trx)?.get(accountNo);
  if (held === 'whole') return;
  if (held === 'shared') throw new NeedsWholeLock();
  await sql`select 1 from accounts where account_no = ${accountNo} for no key update`.execute(trx);
  noteLock(trx, accountNo, 'whole');
}

/**
 * Locks the account of a key, like `lockAccount`. `shared`: others may hold such a lock at the same time, but nobody
 * the whole one.
 */
async function lockAccountOfKey(trx: Kysely<Tables>, keyNo: number, lock: AccountLock): Promise<void> {
  const mode = lock === 'shared' ? sql`for share` : sql`for no key update`;
  if (lockedKeys.get(trx)?.has(keyNo) === true) return;
  const { rows } = await sql<{ account_no: number }>`
    select account_no from accounts where account_no = (select account_no from api_keys where key_no = ${keyNo})
    ${mode}`.execute(trx);
  for (const { account_no } of rows) noteLock(trx, account_no, lock);
  if (trx.isTransaction && lock === 'whole')
    lockedKeys.set(trx, (lockedKeys.get(trx) ?? new Set()).add(keyNo));
}

function noteLock(trx: Kysely<Tables>, accountNo: number, lock: AccountLock): void {
  if (trx.isTransaction) locked.set(trx, (locked.get(trx) ?? new Map()).set(accountNo, lock));
}
