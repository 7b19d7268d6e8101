import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { copyDatabase, dropDatabase, inDatabase, withClient } from './postgres-url.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a server on which the tests may create databases. */
    databaseUrl: string;
    /** The workers of a Citus cluster, which have each database of the tests too; else none. */
    databaseWorkers: readonly string[];
    /** The migrated database that `createTestDatabase` copies. */
    databaseTemplate: string;
  }
}

/** A migrated and empty database for one test file. Disposing ends its connections and drops it. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/**
 * Creates a database: `beforeAll(async () => { database = await createTestDatabase(); })`, or `await using` in a test.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('databaseUrl');
  const name = `vantage_test_${randomBytes(6).toString('hex')}`;
  const servers = [...inject('databaseWorkers'), server];
  // The coordinator connects to the workers as soon as it has the database.
  const copy = (one: string) => copyDatabase(one, inject('databaseTemplate'), name);
  await Promise.all(inject('databaseWorkers').map(copy));
  await copy(server);
  return {
    url: inDatabase(server, name),
    async [Symbol.asyncDispose]() {
      for (const one of servers.toReversed()) await dropDatabase(one, name);
    },
  };
}

/** A database without tables. Disposing ends its connections and drops it. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = inject('databaseUrl');
  const name = `vantage_empty_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) => client.query(`create database ${name}`));
  return {
    url: inDatabase(server, name),
    async [Symbol.asyncDispose]() {
      await dropDatabase(server, name);
    },
  };
}
