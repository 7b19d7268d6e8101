import pg from 'pg';
import { clientConfig } from './client-config.ts';

/**
 * Settings under which every server writes a value as the same text, and reads it as the same value. A role or a
 * database may have other defaults (`alter role … set datestyle`).
 */
export const sameTexts = `set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set intervalstyle = 'postgres';
  set bytea_output = 'hex'; set extra_float_digits = 1;`;

/**
 * Opens a connection without a time limit for statements. Values have the texts of `sameTexts`, or of the server's
 * settings (`texts` 'server', for a file that was written under them).
 */
export async function openTextSession(url: string, texts: 'same' | 'server' = 'same'): Promise<pg.Client> {
  const client = new pg.Client({
    ...clientConfig(url, 'vantage session'),
    statement_timeout: 0,
    query_timeout: 0,
  });
  client.on('error', () => {}); // the running query rejects
  try {
    await client.connect();
    if (texts === 'same') await client.query(sameTexts);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}
