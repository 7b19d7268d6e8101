import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** `shared` prevents changes of existing things; `whole` prevents every change. */
type AccountLock = 'shared' | 'whole';

/** The accounts that open transactions have locked, so no transaction locks one twice. */
const locked = new WeakMap<Kysely<Tables>, Map<number, AccountLock>>();

/** The keys whose accounts open transactions have locked as a whole. */
const lockedKeys = new WeakMap<Kysely<Tables>, Set<number>>();

/**
 * A transaction with a shared lock needs the whole one. Two such transactions would deadlock, so the transaction starts
 * again.
 */
export class NeedsWholeLock extends Error {
  override readonly name = 'NeedsWholeLock';
}

/** Locks the account until the transaction ends. Every change of the catalog gets this lock first. */
export async function lockAccount(trx: Kysely<Tables>, accountNo: number): Promise<void> {
  const lock = locked.get(trx)?.get(accountNo);
  if (lock === 'whole') return;
  if (lock === 'shared') throw new NeedsWholeLock();
  await sql`select 1 from accounts where account_no = ${accountNo} for no key update`.execute(trx);
  noteLock(trx, accountNo, 'whole');
}

/** Locks the account of a key, like `lockAccount`. Several transactions may have a shared lock at the same time. */
export async function lockAccountOfKey(trx: Kysely<Tables>, keyNo: number, lock: AccountLock): Promise<void> {
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
