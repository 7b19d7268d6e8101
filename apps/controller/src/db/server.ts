import { Fault, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from './schema.ts';

const leastVersion = 15;

/** Checks that the server answers and is new enough; throws a Fault whose message names the setting to change. */
export async function requireSupportedServer(kysely: Kysely<Tables>): Promise<void> {
  const found = await sql<{ version: number; name: string }>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as name`
    .execute(kysely)
    .catch((cause: unknown) => {
      throw new Fault(
        'retry',
        'database_away',
        `the database cannot be reached: ${messageOf(cause)} (VANTAGE_DATABASE_URL)`,
        { cause },
      );
    });
  const [server] = found.rows;
  if (server && server.version < leastVersion * 10_000)
    throw new Fault(
      'stop',
      'database_old',
      `the database is PostgreSQL ${server.name}; ${leastVersion} or later is needed (VANTAGE_DATABASE_URL)`,
    );
}
