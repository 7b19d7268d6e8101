import { raw } from '@mikro-orm/core';
import type { Level } from '@vantage/rest-kit/session';
import { databaseUs, type Tables } from '@vantage/storage';
import { ApiKey } from '@vantage/storage/entities';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { Power } from './grant.ts';
import { shownTags } from './key-scope.ts';

/** The hint of keys that represent people. They are never issued, and no list of keys shows them. */
export const noHint = '';

/** A key in a list. The key itself is shown once, when it is issued. */
export interface KeyRow {
  readonly key_id: string;
  readonly account: string;
  readonly name: string;
  readonly level: Level;
  /** The key's first characters. */
  readonly hint: string;
  readonly basic_user: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Keys of one account, or of all when `accountNo` is undefined; the newest first. */
export async function listKeys(
  kysely: Kysely<Tables>,
  accountNo: number | undefined,
): Promise<readonly KeyRow[]> {
  const rows = await kysely
    .selectFrom('api_keys as k')
    .innerJoin('accounts as a', 'a.account_no', 'k.account_no')
    .select(['k.key_id', 'a.name as account', 'k.name', 'k.level', 'k.hint', 'k.basic_user'])
    .select(['k.created_at', 'k.expires_us', 'k.revoked_at'])
    .where('k.hint', '<>', noHint)
    .$if(accountNo !== undefined, (query) => query.where('k.account_no', '=', accountNo ?? 0))
    .orderBy('k.key_no', 'desc')
    .execute();
  return rows.map(({ expires_us: us, revoked_at, ...row }) => {
    const expires_at = us === null ? null : new Date(us / 1000);
    return { ...row, expires_at, revoked_at };
  });
}

/** A key that is not revoked, as the API shows it. Times are epoch microseconds. */
export interface OwnKeyRow extends Power {
  readonly keyNo: number;
  readonly keyId: string;
  readonly name: string;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly usedUs: number | null;
  readonly address: string | null;
  /** The tags of the scope that are there; null: no scope. */
  readonly tags: readonly { readonly tag_id: string; readonly Name: string }[] | null;
}

function ownKeys(kysely: Kysely<Tables>, accountNo: number) {
  return kysely
    .selectFrom('api_keys as k')
    .leftJoin('key_uses as u', 'u.key_no', 'k.key_no')
    .where('k.account_no', '=', accountNo)
    .where('k.hint', '<>', noHint)
    .where('k.revoked_at', 'is', null);
}

const shownColumns = [
  'k.key_no as keyNo',
  'k.key_id as keyId',
  'k.name',
  'k.level',
  'k.expires_us as expiresUs',
  'k.created_by as createdBy',
  'k.created_at as createdAt',
  'k.updated_at as updatedAt',
  'u.used_us as usedUs',
  'u.address',
  'k.tag_nos as tagNos',
  shownTags.as('tags'),
] as const;

/** A page of the account's keys that are not revoked, the newest first, and how many there are. */
export async function listOwnKeys(
  kysely: Kysely<Tables>,
  accountNo: number,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: readonly OwnKeyRow[]; readonly total: number }> {
  const keys = ownKeys(kysely, accountNo);
  const [rows, { total }] = await Promise.all([
    keys.select(shownColumns).orderBy('k.key_no', 'desc').limit(page.limit).offset(page.offset).execute(),
    keys.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** The account's key with this id; undefined: there is none that is not revoked. */
export async function readKey(
  kysely: Kysely<Tables>,
  accountNo: number,
  keyId: string,
): Promise<OwnKeyRow | undefined> {
  return ownKeys(kysely, accountNo).select(shownColumns).where('k.key_id', '=', keyId).executeTakeFirst();
}

/** The key that makes a change, as it is now; undefined: it is revoked, or none makes the change. */
export async function findGrantor({
  trx,
  actor,
}: Pick<ChangeTransaction, 'trx' | 'actor'>): Promise<(Power & { readonly name: string }) | undefined> {
  if (actor.kind !== 'api-key') return undefined;
  return trx
    .selectFrom('api_keys')
    .select([
      'level',
      'expires_us as expiresUs',
      'tag_nos as tagNos',
      sql<string>`coalesce(nullif(name, ''), key_id)`.as('name'),
    ])
    .where('key_no', '=', actor.keyNo)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/** The time by the clock of the database, epoch microseconds. */
export async function readDatabaseUs(trx: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ us: number }>`select ${databaseUs} as us`.execute(trx);
  return rows[0]?.us ?? 0;
}

/** Keys in force with this id or this hint, at most two. */
export async function findKeysInForce(
  { em }: ChangeTransaction,
  idOrHint: string,
): Promise<readonly ApiKey[]> {
  const named = { $or: [{ keyId: idOrHint }, { hint: idOrHint }], hint: { $ne: noHint }, revokedAt: null };
  return em.find(ApiKey, named, { limit: 2 });
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
  | 'keyId'
  | 'accountNo'
  | 'name'
  | 'keyHash'
  | 'hint'
  | 'level'
  | 'basicUser'
  | 'basicHash'
  | 'expiresUs'
  | 'tagNos'
  | 'createdBy'
>;

/** Writes the settings of a key. */
export async function updateKey(
  { em }: ChangeTransaction,
  keyNo: number,
  { name, level, expiresUs, tagNos }: Pick<ApiKey, 'name' | 'level' | 'expiresUs' | 'tagNos'>,
): Promise<void> {
  await em.nativeUpdate(ApiKey, { keyNo }, { name, level, expiresUs, tagNos });
}

/** Marks a key as revoked. */
export async function setKeyRevoked({ em }: ChangeTransaction, keyNo: number): Promise<void> {
  await em.nativeUpdate(ApiKey, { keyNo }, { revokedAt: raw('now()') });
}
