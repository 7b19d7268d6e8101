import { type FieldFault, isId, sentFault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../platform/db/index.ts';

/** Kinds of things that may have a key of the client. */
export type KeyedKind =
  | 'device'
  | 'tag'
  | 'location'
  | 'contact'
  | 'nschedule'
  | 'mschedule'
  | 'hook'
  | 'page'
  | 'report';

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

const byKey = 'key:';

/**
 * The id of a thing that a request names by its id, or by `key:` and its ExternalKey. undefined: the text is no id, or
 * the account has nothing with this key. Whether there is a thing with the id is not looked up.
 */
export async function namedId(
  db: Kysely<Tables>,
  kind: KeyedKind,
  accountNo: number,
  text: string,
): Promise<string | undefined> {
  if (!text.startsWith(byKey)) return isId(text) ? text : undefined;
  const found = await findByExternalKey(db, kind, accountNo, text.slice(byKey.length));
  return found?.id;
}

/** The fault of a text that names nothing. `must` says what the field takes by id. */
export function referenceFault(field: string, must: string, text: string): FieldFault {
  return sentFault(field, text.startsWith(byKey) ? `${must}, or key: and its ExternalKey` : must, text);
}
