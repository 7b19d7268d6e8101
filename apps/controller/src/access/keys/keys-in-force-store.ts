import { minuteUs } from '@vantage/domain';
import type { KeyInForce } from '@vantage/rest-kit/callers-in-force';
import { type Db, databaseUs } from '@vantage/storage';
import { sql } from 'kysely';

/** A use of a key is noted at most this often. */
const useUs = minuteUs;

/**
 * Asks the database for the key with this SHA-256 and notes its use; undefined when there is none, it has expired, or
 * it is revoked.
 */
export async function findKey(
  db: Pick<Db, 'kysely' | 'isInTransaction'>,
  hash: Uint8Array,
  address: string,
): Promise<KeyInForce | undefined> {
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
