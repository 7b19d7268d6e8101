import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';
import { isDistributed } from './history-tables.ts';

/** Does Citus move shards of a distributed history, or is it about to? */
export async function areShardsMoving(kysely: Kysely<Tables>): Promise<boolean> {
  if (!(await isDistributed(kysely))) return false;
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from pg_dist_background_job where state in ('scheduled', 'running', 'cancelling')) as is`.execute(
    kysely,
  );
  return rows[0]?.is === true;
}
