import { createLog } from '@vantage/kernel';
import { createDb, type Database } from '@vantage/storage';
import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';

/**
 * Opens a migrated database for the tests of a file or a `describe`, and drops it after them. `onOpen` runs before the
 * first test; `timeoutMs` is its time, where the default of hooks is too short.
 */
export function useDatabase(
  onOpen: (db: Database, database: TestDatabase) => void | Promise<void>,
  {
    timeoutMs,
    ...options
  }: Pick<Parameters<typeof createDb>[0], 'poolSize' | 'onStatement'> & { readonly timeoutMs?: number } = {},
): void {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = await createDb({ connection: { url: database.url }, log: createLog('test', 'silent'), ...options });
    await onOpen(db, database);
  }, timeoutMs);
  afterAll(async () => {
    await db.close();
    await database[Symbol.asyncDispose]();
  });
}
