import { dayUs, hourUs } from '@vantage/domain';
import type { SessionInForce } from '@vantage/rest-kit/callers-in-force';
import { type Db, databaseUs, type Tables } from '@vantage/storage';
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { keysInForce, noteUse } from '../keys/keys-in-force-store.ts';

/** A session ends this many hours after its last use, and at the latest this many days after it began. */
export const sessionLife = { unusedHours: 12, days: 30 } as const;

const unusedUs = sessionLife.unusedHours * hourUs;
const lifeUs = sessionLife.days * dayUs;

/** The use of a session is noted at most this often. */
const useUs = 300_000_000;

/** The maximum of sessions of one key; a further session ends the oldest. */
const maxOfKey = 100;

/**
 * Inserts a session and removes those of the key that have ended or are too many. `endsUs` is in epoch microseconds.
 */
export async function insertSession(
  trx: Transaction<Tables>,
  {
    sessionId,
    tokenHash,
    keyNo,
    isByProvider,
  }: { sessionId: string; tokenHash: Uint8Array; keyNo: number; isByProvider: boolean },
): Promise<{ readonly sessionNo: number; readonly endsUs: number }> {
  await sql`delete from sessions where key_no = ${keyNo} and (ends_us <= ${databaseUs} or session_no <= (
    select session_no from sessions where key_no = ${keyNo} and ends_us > ${databaseUs} order by session_no desc offset ${maxOfKey - 1} limit 1))`.execute(
    trx,
  );
  return trx
    .insertInto('sessions')
    .values({
      session_id: sessionId,
      token_hash: Buffer.from(tokenHash),
      key_no: keyNo,
      by_provider: isByProvider,
      began_us: databaseUs,
      used_us: databaseUs,
      ends_us: sql<number>`${databaseUs} + ${unusedUs}::bigint`,
    })
    .returning(['session_no as sessionNo', 'ends_us as endsUs'])
    .executeTakeFirstOrThrow();
}

/** Ends a session. Returns its public id; undefined when it has ended before. */
export async function deleteSession(
  trx: Transaction<Tables>,
  sessionNo: number,
): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('sessions')
    .where('session_no', '=', sessionNo)
    .returning('session_id')
    .executeTakeFirst();
  return row?.session_id;
}

/** Ends the sessions of a key, but the one with the number `except`. */
export async function deleteSessionsOf(
  trx: Kysely<Tables>,
  keyNo: number,
  except: number | undefined,
): Promise<void> {
  await trx
    .deleteFrom('sessions')
    .where('key_no', '=', keyNo)
    .$if(except !== undefined, (query) => query.where('session_no', '<>', except ?? 0))
    .execute();
}

/**
 * Asks the database for the session with this SHA-256 and notes that it is used, which puts its end off; undefined when
 * there is none, it has ended, or its key is revoked or has expired.
 */
export async function findSession(
  db: Pick<Db, 'kysely' | 'isInTransaction'>,
  hash: Uint8Array,
  address: string,
): Promise<SessionInForce | undefined> {
  await sql`update sessions set used_us = ${databaseUs}, ends_us = least(${databaseUs} + ${unusedUs}::bigint, began_us + ${lifeUs}::bigint)
    where token_hash = ${Buffer.from(hash)} and ends_us > ${databaseUs} and used_us < ${databaseUs} - ${useUs}::bigint`.execute(
    db.kysely,
  );
  const found = await keysInForce(db)
    .innerJoin('sessions', 'sessions.key_no', 'api_keys.key_no')
    .select([
      'session_no as sessionNo',
      'token_hash as hash',
      'by_provider as isByProvider',
      sql<number>`least(ends_us, expires_us)`.as('endsUs'),
    ])
    .where('token_hash', '=', hash)
    .where('ends_us', '>', databaseUs)
    .executeTakeFirst();
  return found && noteUse(db, found, address);
}
