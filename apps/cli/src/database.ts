import path from 'node:path';
import { Fault, messageOf, readIfPresentSync } from '@vantage/kernel';
import pg from 'pg';
import { z } from 'zod';

/** What the operator's commands need of a database connection. */
export interface Sql {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

const quickstart = z.object({ database_url: z.string() });

/** The URL of the database of the system that runs on a data folder; a Fault when none does. */
export function runningDatabase(dataDir: string): string {
  const file = path.resolve(dataDir, 'quickstart.json');
  const text = readIfPresentSync(file);
  if (text === undefined)
    throw new Fault(
      'stop',
      'no_database',
      `no system runs on ${path.dirname(file)} (there is no quickstart.json); start it with "npm start", or set VANTAGE_DATA or VANTAGE_DATABASE_URL`,
    );
  return quickstart.parse(JSON.parse(text)).database_url;
}

/** Connects, runs `work` in one transaction, disconnects. A database that is away is a Fault with its reason. */
export async function inTransaction<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    application_name: 'vantage cli',
  });
  // A connection that breaks fails the query that runs; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (cause) {
    throw new Fault(
      'retry',
      'database_away',
      `the database cannot be reached: ${messageOf(cause)}; see that it runs ("npm start" brings its own), or correct VANTAGE_DATABASE_URL`,
      { cause },
    );
  }
  try {
    await holdsVantage(client);
    await client.query('begin');
    const answer = await work({
      query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(text, [...values])).rows,
    });
    await client.query('commit');
    return answer;
  } finally {
    await client.end();
  }
}

/** A database that no controller has used yet is a Fault: its tables come with the first start. */
async function holdsVantage(client: pg.Client): Promise<void> {
  const found = await client.query<{ there: boolean }>(
    "select to_regclass('accounts') is not null and to_regclass('agents') is not null as there",
  );
  if (found.rows[0]?.there !== true)
    throw new Fault(
      'stop',
      'no_schema',
      `the database ${client.database ?? ''} holds no Vantage yet: start a controller on it first ("npm start", or "./vantage controller"), it makes the tables`,
    );
}
