import { createLog, Fault, messageOf } from '@vantage/kernel';
import { createDb, type Database } from '@vantage/storage';
import { requireSessions } from '@vantage/storage/require-sessions';
import { findSuccessor } from '@vantage/storage-ops/copy/database-use';
import { sql } from 'kysely';

/**
 * Opens a database that a controller has used, and calls `onOpen`; disposing closes it. Throws a Fault with the reason
 * when it is unreachable, has no tables of Vantage, or is behind a pooler that keeps no sessions.
 */
export async function openDatabase(
  url: string,
  onOpen: (db: Database) => Promise<void> = async () => {},
): Promise<{ readonly db: Database } & AsyncDisposable> {
  // The reply has each failure, which log lines would only repeat.
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

/** Throws a Fault for a database that its copy replaced: its rows are old, and it refuses writes. */
export async function refuseMoved(url: string): Promise<void> {
  const move = await findSuccessor(url);
  if (move !== undefined)
    throw new Fault(
      'stop',
      'database_moved',
      `the database was copied to ${move.target}, which replaced it: set VANTAGE_DATABASE_URL to the copy`,
    );
}

async function requireTables({ kysely }: Database, url: string): Promise<void> {
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
    `the database ${found?.name ?? ''} holds no Vantage yet: start a controller on it first ("npm start", or "./vantage controller"), which creates the tables`,
  );
}
