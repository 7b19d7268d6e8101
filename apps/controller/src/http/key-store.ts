import type { Db } from '../db/index.ts';
import type { Level } from './session.ts';

/** A key that is in force, with what is needed of its account. */
export interface KeyRow {
  readonly keyNo: number;
  /** The SHA-256 of the key, or of a session's token. */
  readonly hash: Uint8Array;
  readonly name: string;
  readonly level: Level;
  readonly basicUser: string | null;
  readonly basicHash: string | null;
  readonly accountNo: number;
  readonly accountId: string;
  readonly timezone: string;
}

/** Asks the database for the key with this SHA-256; undefined when there is none or it is revoked. */
export async function findKey(db: Pick<Db, 'kysely'>, hash: Uint8Array): Promise<KeyRow | undefined> {
  return keysInForce(db).select('key_hash as hash').where('key_hash', '=', hash).executeTakeFirst();
}

/** The keys in force, each with its account. */
export function keysInForce({ kysely }: Pick<Db, 'kysely'>) {
  return kysely
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.account_no', 'api_keys.account_no')
    .select([
      'api_keys.key_no as keyNo',
      'api_keys.name',
      'level',
      'basic_user as basicUser',
      'basic_hash as basicHash',
      'accounts.account_no as accountNo',
      'account_id as accountId',
      'timezone',
    ])
    .where('revoked_at', 'is', null);
}
