import { type Kysely, sql } from 'kysely';
import type { NewRow, Tables } from '../../db/index.ts';

/** A key in a list. The key itself is shown once, when it is issued. */
export interface KeyRow {
  readonly key_id: string;
  readonly account: string;
  readonly name: string;
  readonly level: 'UW' | 'UR';
  /** The key's first characters. */
  readonly hint: string;
  readonly basic_user: string | null;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

/** Keys of one account, or of all when `accountNo` is undefined; the newest first. */
export async function listKeys(
  kysely: Kysely<Tables>,
  accountNo: number | undefined,
): Promise<readonly KeyRow[]> {
  return kysely
    .selectFrom('api_keys as k')
    .innerJoin('accounts as a', 'a.account_no', 'k.account_no')
    .select(['k.key_id', 'a.name as account', 'k.name', 'k.level', 'k.hint', 'k.basic_user'])
    .select(['k.created_at', 'k.revoked_at'])
    .$if(accountNo !== undefined, (query) => query.where('k.account_no', '=', accountNo ?? 0))
    .orderBy('k.key_no', 'desc')
    .execute();
}

/** Keys in force with this id or this hint. */
export async function findKeysInForce(
  kysely: Kysely<Tables>,
  idOrHint: string,
): Promise<readonly { readonly key_no: number; readonly key_id: string; readonly account_no: number }[]> {
  return kysely
    .selectFrom('api_keys')
    .select(['key_no', 'key_id', 'account_no'])
    .where((where) => where.or([where('key_id', '=', idOrHint), where('hint', '=', idOrHint)]))
    .where('revoked_at', 'is', null)
    .execute();
}

/** Whether the key with this SHA-256 was revoked; undefined when there is no such key. */
export async function isKeyRevoked(kysely: Kysely<Tables>, hash: Uint8Array): Promise<boolean | undefined> {
  const row = await kysely
    .selectFrom('api_keys')
    .select('revoked_at')
    .where('key_hash', '=', hash)
    .executeTakeFirst();
  return row && row.revoked_at !== null;
}

/** Inserts a key. */
export async function insertKey(trx: Kysely<Tables>, key: NewRow<'api_keys'>): Promise<void> {
  await trx.insertInto('api_keys').values(key).execute();
}

/** Marks a key as revoked. */
export async function markKeyRevoked(trx: Kysely<Tables>, keyNo: number): Promise<void> {
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('key_no', '=', keyNo)
    .execute();
}
