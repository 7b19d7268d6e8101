import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../db/index.ts';
import { databaseUs } from '../../http/key-store.ts';

/** Whom a refused sign-in meant: a key of an account, or the only account there is. */
export interface SignInTarget {
  readonly accountNo: number;
  readonly id: string;
  readonly name: string | null;
  readonly state: 'unknown' | 'revoked' | 'expired' | 'in-force';
}

/** The key with this SHA-256, also a revoked one. */
export async function findKeyTarget(
  kysely: Kysely<Tables>,
  hash: Uint8Array,
): Promise<SignInTarget | undefined> {
  const row = await kysely
    .selectFrom('api_keys')
    .select(['account_no as accountNo', 'key_id as id', 'name', 'revoked_at'])
    .select(sql<boolean>`coalesce(expires_us <= ${databaseUs}, false)`.as('isExpired'))
    .where('key_hash', '=', hash)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { revoked_at, isExpired, ...key } = row;
  return { ...key, state: revoked_at !== null ? 'revoked' : isExpired ? 'expired' : 'in-force' };
}

/** The account of an installation that has one; undefined: an unknown key may have been meant for each of several. */
export async function findOnlyAccount(kysely: Kysely<Tables>): Promise<SignInTarget | undefined> {
  const [row, another] = await kysely
    .selectFrom('accounts')
    .select(['account_no as accountNo', 'account_id as id'])
    .limit(2)
    .execute();
  if (row === undefined || another !== undefined) return undefined;
  return { ...row, name: null, state: 'unknown' };
}
