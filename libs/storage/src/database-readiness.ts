import { type Kysely, sql } from 'kysely';
import type { Tables } from './schema/tables.ts';

/**
 * The reason why a controller cannot serve with this database, in one sentence; undefined: it can. `known` are the
 * migrations of this version. Never rejects, and never contains texts of the server, because strangers may read it.
 */
export async function readinessProblem({
  kysely,
  known,
  isListening,
}: {
  readonly kysely: Kysely<Tables>;
  readonly known: readonly string[];
  readonly isListening: () => boolean;
}): Promise<string | undefined> {
  try {
    const { rows } = await sql<{ name: string }>`select name from migrations`.execute(kysely);
    const done = new Set(rows.map(({ name }) => name));
    const lacking = known.filter((name) => !done.has(name)).length;
    if (lacking > 0) return `The database lacks ${lacking} migrations of this version.`;
  } catch {
    return 'The database does not answer.';
  }
  return isListening() ? undefined : 'The connection that receives notices of the database is broken.';
}
