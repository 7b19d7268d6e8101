import { raw } from '@mikro-orm/core';
import type { Kysely } from 'kysely';
import { ApiKey } from '../../db/entities.ts';
import type { Tables } from '../../db/index.ts';
import type { ChangeTransaction } from '../change.ts';

/** A key in a list. The key itself is shown once, when it is issued. */
export interface KeyRow {
  readonly key_id: string;
  readonly account: string;
  readonly name: string;
  readonly level: 'UW' | 'UO' | 'UR';
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

/** Keys in force with this id or this hint, at most two. */
export async function findKeysInForce(
  { em }: ChangeTransaction,
  idOrHint: string,
): Promise<readonly ApiKey[]> {
  return em.find(ApiKey, { $or: [{ keyId: idOrHint }, { hint: idOrHint }], revokedAt: null }, { limit: 2 });
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
export async function insertKey({ em }: ChangeTransaction, key: NewKeyRow): Promise<void> {
  em.create(ApiKey, key);
  await em.flush();
}

type NewKeyRow = Pick<
  ApiKey,
  'keyId' | 'accountNo' | 'name' | 'keyHash' | 'hint' | 'level' | 'basicUser' | 'basicHash'
>;

/** Marks a key as revoked. */
export async function markKeyRevoked({ em }: ChangeTransaction, keyNo: number): Promise<void> {
  await em.nativeUpdate(ApiKey, { keyNo }, { revokedAt: raw('now()') });
}
