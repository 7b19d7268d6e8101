import { maxAccounts } from '@vantage/rest-kit/choose-account';
import { databaseUs, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** Whom a refused sign-in meant, and why it was refused. */
export interface SignInTarget {
  readonly accountNo: number;
  /** The id of the key or person, else of the account. */
  readonly id: string;
  /** The name of the key or person; null: it is unknown. */
  readonly name: string | null;
  readonly reason: string;
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
  const state = revoked_at !== null ? 'revoked key' : isExpired ? 'expired key' : undefined;
  return { ...key, reason: state ?? 'wrong name or password' };
}

/**
 * The people with this e-mail address, who may not have accepted the invitation yet: in each account that the sign-in
 * may have meant.
 */
export async function findPersonTargets(
  kysely: Kysely<Tables>,
  { email, account }: { readonly email: string; readonly account: string | undefined },
): Promise<readonly SignInTarget[]> {
  const rows = await kysely
    .selectFrom('users as p')
    .innerJoin('api_keys as k', 'k.key_no', 'p.key_no')
    .innerJoin('accounts as a', 'a.account_no', 'p.account_no')
    .select(['p.account_no as accountNo', 'p.user_id as id', 'k.name', 'p.password_hash'])
    .where('p.email', '=', email)
    .$if(account !== undefined, (query) => query.where('a.name', '=', account ?? ''))
    .orderBy('p.user_no')
    .limit(maxAccounts)
    .execute();
  return rows.map(({ password_hash, ...person }) => ({
    ...person,
    reason: password_hash === null ? 'invitation not accepted' : 'wrong password',
  }));
}

/**
 * The account with this name, else that of an installation that has one; of several accounts, each may have been meant.
 */
export async function findUnknownTarget(
  kysely: Kysely<Tables>,
  { account, reason }: { readonly account: string | undefined; readonly reason: string },
): Promise<SignInTarget | undefined> {
  const [row, another] = await kysely
    .selectFrom('accounts')
    .select(['account_no as accountNo', 'account_id as id'])
    .$if(account !== undefined, (query) => query.where('name', '=', account ?? ''))
    .limit(2)
    .execute();
  if (row === undefined || another !== undefined) return undefined;
  return { ...row, name: null, reason };
}
