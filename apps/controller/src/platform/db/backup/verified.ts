import pg from 'pg';

/** Stores that a backup was restored for a trial; `atUs`: of its snapshot, microseconds since 1970. */
export async function storeVerified(url: string, atUs: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the query in work rejects
  await client.connect();
  try {
    await client.query('update last_backup set verified_us = greatest(verified_us, $1::bigint)', [atUs]);
  } finally {
    await client.end();
  }
}
