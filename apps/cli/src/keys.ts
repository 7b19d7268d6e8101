import { Fault, newId } from '@vantage/kernel';
import { accountNo } from './accounts.ts';
import { hashOf, hashPassword, newCredential } from './credentials.ts';
import type { Sql } from './database.ts';

/** What a key may do: write and read, or read only. */
export const levels = ['UW', 'UR'] as const;
export type Level = (typeof levels)[number];

/** A key as lists show it; the key itself is shown once, when it is issued. */
export interface Key {
  readonly key_id: string;
  readonly account: string;
  readonly name: string;
  readonly level: Level;
  /** The key's first characters. */
  readonly hint: string;
  readonly basic_user: string | null;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

/** Issues a key; with `user` and `password` every request must carry them too (HTTP Basic). */
export async function issueKey(
  sql: Sql,
  given: {
    readonly account: string;
    readonly level: Level;
    readonly name: string;
    readonly basic?: { readonly user: string; readonly password: string };
    /** A key made before, to be known again by a new database. */
    readonly key?: string;
  },
): Promise<{ readonly key_id: string; readonly key: string; readonly level: Level }> {
  const key = given.key ?? newCredential();
  const keyId = newId();
  await sql.query(
    `insert into api_keys (key_id, account_no, name, key_hash, hint, level, basic_user, basic_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      keyId,
      await accountNo(sql, given.account),
      given.name,
      hashOf(key),
      key.slice(0, 6),
      given.level,
      given.basic?.user ?? null,
      given.basic ? await hashPassword(given.basic.password) : null,
    ],
  );
  return { key_id: keyId, key, level: given.level };
}

/** Keys of one account, or of all; the newest first. */
export async function listKeys(sql: Sql, account: string | undefined): Promise<Key[]> {
  return sql.query<Key>(
    `select key_id, accounts.name as account, api_keys.name, level, hint, basic_user, api_keys.created_at, revoked_at
     from api_keys join accounts using (account_no)
     where $1::int is null or account_no = $1 order by key_no desc`,
    [account === undefined ? null : await accountNo(sql, account)],
  );
}

/** Revokes a key by its id or hint; every controller is told and refuses it within 5 s. */
export async function revokeKey(sql: Sql, idOrHint: string): Promise<{ readonly key_id: string }> {
  const found = await sql.query<{ key_no: number; key_id: string }>(
    'select key_no, key_id from api_keys where (key_id = $1 or hint = $1) and revoked_at is null',
    [idOrHint],
  );
  const [key, another] = found;
  if (!key) throw new Fault('drop', 'no_key', `there is no key ${idOrHint} in force`);
  if (another) throw new Fault('drop', 'many_keys', `several keys begin with ${idOrHint}: give the key_id`);
  await sql.query('update api_keys set revoked_at = now() where key_no = $1', [key.key_no]);
  await sql.query("select pg_notify('vantage_revoked', $1)", [
    JSON.stringify({ agent_nos: [], key_nos: [key.key_no] }),
  ]);
  return { key_id: key.key_id };
}
