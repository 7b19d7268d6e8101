import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';

/*
 * Citus moves a shard while it is written only where an update or a deletion names its row in the write-ahead log.
 * `check_rows` has no unique index (migration 0041), so each of its partitions names the whole row. An insert costs
 * nothing more.
 */

/** Lets updates and deletions in a partition of `check_rows` name the whole row. */
export async function identifyRows(trx: Kysely<Tables>, partition: string): Promise<void> {
  await sql`alter table ${sql.table(partition)} replica identity full`.execute(trx);
}

/** The partitions of `check_rows` whose updates and deletions name no row. */
export async function partitionsWithoutIdentity(kysely: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'check_rows'::regclass and c.relreplident <> 'f' order by 1`.execute(kysely);
  return rows.map(({ name }) => name);
}
