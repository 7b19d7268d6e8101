import { createLog, Fault, messageOf } from '@vantage/kernel';
import { sql } from 'kysely';
import { movedMark } from '../platform/db/copy/welcome.ts';
import { createDb, type Db } from '../platform/db/index.ts';
import { requireSessions } from '../platform/db/sessions.ts';

/**
 * Opens a database that a controller has used, and calls `onOpen`; disposing closes it. Throws a Fault with the reason
 * when it is away, holds no Vantage, or is behind a pooler that keeps no sessions.
 */
export async function openDatabase(
  url: string,
  onOpen: (db: Db) => Promise<void> = async () => {},
): Promise<{ readonly db: Db } & AsyncDisposable> {
  // The reply carries each failure, so the database's own lines would only repeat it.
  const db = await createDb({ connection: { url }, log: createLog('admin', 'silent'), poolSize: 2 });
  try {
    await requireTables(db, url);
    await refuseMoved(url);
    await onOpen(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  return { db, [Symbol.asyncDispose]: () => db.close() };
}

/** Throws a Fault for a database whose place another one took: what is read there is old, and writes are refused. */
export async function refuseMoved(url: string): Promise<void> {
  const mark = await movedMark(url);
  if (mark !== undefined)
    throw new Fault(
      'stop',
      'database_moved',
      `the database was copied to ${mark.target}, which took its place: set VANTAGE_DATABASE_URL to that one`,
    );
}

async function requireTables({ kysely }: Db, url: string): Promise<void> {
  const { rows } = await sql<{ present: boolean; name: string }>`
    select to_regclass('accounts') is not null and to_regclass('agents') is not null as present,
      current_database() as name`
    .execute(kysely)
    .catch((cause: unknown) => {
      throw new Fault(
        'retry',
        'database_away',
        `the database cannot be reached: ${messageOf(cause)}; see that it runs ("npm start" brings its own), or correct VANTAGE_DATABASE_URL`,
        { cause },
      );
    });
  await requireSessions(url);
  const [found] = rows;
  if (found?.present === true) return;
  throw new Fault(
    'stop',
    'no_schema',
    `the database ${found?.name ?? ''} holds no Vantage yet: start a controller on it first ("npm start", or "./vantage controller"), it makes the tables`,
  );
}
