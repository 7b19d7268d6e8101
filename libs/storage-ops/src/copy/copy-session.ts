import { Fault, messageOf } from '@vantage/kernel';
import { clientConfig } from '@vantage/storage/client-config';
import { sameTexts } from '@vantage/storage/text-session';
import pg from 'pg';

/** The locks of migration 0171: writers share `writers` until they end; a copy has `copier`. */
export const locks = { family: 30213, writers: 0, copier: 1 } as const;

/**
 * Opens a connection for a copy: statements have no time limit, and both servers write a value as the same text. Throws
 * a Fault that names the database by `name`.
 */
export async function openSession(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...clientConfig(url, 'vantage database copy'),
    statement_timeout: 0,
    query_timeout: 0,
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => {}); // the running query rejects
  try {
    await client.connect();
    await client.query(`${sameTexts} set idle_in_transaction_session_timeout = 0;
      set lock_timeout = '10s'; set default_transaction_isolation = 'read committed'`);
    // `transaction_timeout` exists since version 17.
    await client.query(`select set_config('transaction_timeout', '0', false)
      where current_setting('transaction_timeout', true) is not null`);
    return client;
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw new Fault('retry', 'database_away', `${name} cannot be reached: ${messageOf(cause)}`, { cause });
  }
}

export async function inTransaction<T>(client: pg.Client, how: string, work: () => Promise<T>): Promise<T> {
  await client.query(`begin ${how}`);
  try {
    const done = await work();
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Locks out other copies from or to this database until the connection ends; false: another copy is running. */
export async function lockCopier(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
    locks.family,
    locks.copier,
  ]);
  return rows[0]?.locked === true;
}
