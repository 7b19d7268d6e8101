import { minuteUs } from '@vantage/domain';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/index.ts';
import { type Membership, maxAccounts } from './choose-account.ts';
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
  /** The tags to which it is limited; null: it is not. */
  readonly tagNos: readonly number[] | null;
}

/** A person in force in an account, with the key that stands for them. */
export interface PersonRow extends Membership {
  readonly row: KeyRow;
  /** null: they chose none yet. */
  readonly passwordHash: string | null;
}

/** A use of a key is noted at most this often. */
const useUs = minuteUs;

/** The time by the clock of the database, which is the same for all controllers. */
export const databaseUs = sql<number>`(extract(epoch from now()) * 1000000)::bigint`;

/**
 * Asks the database for the key with this SHA-256 and notes its use; undefined when there is none, it has expired, or
 * it is revoked.
 */
export async function findKey(
  db: Pick<Db, 'kysely' | 'isInTransaction'>,
  hash: Uint8Array,
  address: string,
): Promise<KeyRow | undefined> {
  const found = await keysInForce(db)
    .select('key_hash as hash')
    .where('key_hash', '=', hash)
    .executeTakeFirst();
  return found && noteUse(db, found, address);
}

/** Notes that a key is used, now and then, and returns the rest of its row. */
export async function noteUse<Row extends { readonly keyNo: number; readonly isUseOld: boolean }>(
  db: Pick<Db, 'kysely' | 'isInTransaction'>,
  { isUseOld, ...row }: Row,
  address: string,
): Promise<Omit<Row, 'isUseOld'>> {
  // Inside a transaction the row would stay locked for other controllers, and this use was noted before it began.
  if (isUseOld && !db.isInTransaction()) await storeUse(db.kysely, row.keyNo, address);
  return row;
}

async function storeUse(kysely: Db['kysely'], keyNo: number, address: string): Promise<void> {
  await sql`insert into key_uses (key_no, used_us, address) values (${keyNo}, ${databaseUs}, ${address})
    on conflict (key_no) do update set used_us = excluded.used_us, address = excluded.address`.execute(
    kysely,
  );
}

/** The keys in force, each with its account. `isUseOld`: a use should be noted. */
export function keysInForce({ kysely }: Pick<Db, 'kysely'>) {
  return kysely
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.account_no', 'api_keys.account_no')
    .leftJoin('key_uses', 'key_uses.key_no', 'api_keys.key_no')
    .select([
      'api_keys.key_no as keyNo',
      'api_keys.name',
      'level',
      'basic_user as basicUser',
      'basic_hash as basicHash',
      'accounts.account_no as accountNo',
      'account_id as accountId',
      'timezone',
      'api_keys.tag_nos as tagNos',
      sql<boolean>`coalesce(key_uses.used_us < ${databaseUs} - ${useUs}::bigint, true)`.as('isUseOld'),
    ])
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`coalesce(api_keys.expires_us > ${databaseUs}, true)`);
}

/**
 * Asks the database for the people in force with this e-mail address: of the account with this name, else of all, at
 * most 20, those first who were signed in by a proxy or provider before.
 */
export async function findPeople(
  db: Pick<Db, 'kysely'>,
  email: string,
  account: string | undefined,
): Promise<readonly PersonRow[]> {
  const found = await keysInForce(db)
    .innerJoin('users', 'users.key_no', 'api_keys.key_no')
    .select([
      'key_hash as hash',
      'accounts.name as account',
      'password_hash as passwordHash',
      sql<boolean>`proven_us is not null`.as('isProven'),
    ])
    .where('email', '=', email)
    .$if(account !== undefined, (query) => query.where('accounts.name', '=', account ?? ''))
    .orderBy(sql`proven_us is null`)
    .orderBy('user_no')
    .limit(maxAccounts)
    .execute();
  return found.map((person) => {
    const { account: name, passwordHash, isProven, isUseOld: _, ...row } = person;
    return { account: name, passwordHash, isProven, row };
  });
}
