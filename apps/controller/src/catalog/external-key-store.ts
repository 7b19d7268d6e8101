import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';

/** Kinds of things that may have a key of the client. */
export type KeyedKind = 'device' | 'tag' | 'location' | 'contact' | 'nschedule' | 'mschedule';

/**
 * The number and id of the account's thing of this kind with this key. The caller that writes keys holds the account's
 * lock.
 */
export async function findByExternalKey(
  db: Kysely<Tables>,
  kind: KeyedKind,
  accountNo: number,
  key: string,
): Promise<{ readonly no: number; readonly id: string } | undefined> {
  const table = sql.table(`${kind}s`);
  const [no, id] = [sql.ref(`${kind}_no`), sql.ref(`${kind}_id`)];
  const { rows } = await sql<{ no: number; id: string }>`
    select ${no} as no, ${id} as id from ${table} where account_no = ${accountNo} and external_key = ${key}`.execute(
    db,
  );
  return rows[0];
}
