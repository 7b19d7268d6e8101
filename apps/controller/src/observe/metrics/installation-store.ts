import type { Db } from '@vantage/storage';
import { sql } from 'kysely';

/** A controller that was not seen for this time has ended. */
const goneUs = 300_000_000;
const maxControllers = 100;

export async function readStored({ kysely }: Pick<Db, 'kysely'>, nowUs: number) {
  const [controllers, size] = await Promise.all([
    kysely
      .selectFrom('controllers')
      .select(['started_us', 'last_seen_us'])
      .where('last_seen_us', '>', nowUs - goneUs)
      .orderBy('started_us')
      .limit(maxControllers)
      .execute(),
    sql<{ readonly bytes: number }>`select pg_database_size(current_database())::float8 as bytes`.execute(
      kysely,
    ),
  ]);
  return { controllers, bytes: size.rows[0]?.bytes ?? 0 };
}
