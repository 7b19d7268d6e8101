import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/**
 * Writes the many rows of a test, or asks for what takes long, on one connection. A busy machine takes longer than a
 * statement of the controller may.
 */
export function setUp<T>(
  kysely: Kysely<Tables>,
  write: (connection: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return kysely.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    try {
      return await write(connection);
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}
