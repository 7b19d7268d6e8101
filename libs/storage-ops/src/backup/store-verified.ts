import { answerMs, clientConfig } from '@vantage/storage/client-config';
import pg from 'pg';

/** Stores that a backup was verified by a trial restore. `atUs`: the time of its snapshot, microseconds since 1970. */
export async function storeVerified(url: string, atUs: number): Promise<void> {
  const client = new pg.Client({ ...clientConfig(url, 'vantage backup'), query_timeout: answerMs });
  client.on('error', () => {}); // the running query rejects
  await client.connect();
  try {
    await client.query('update last_backup set verified_us = greatest(verified_us, $1::bigint)', [atUs]);
  } finally {
    await client.end();
  }
}
