import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { dbFailure } from './pg-error.ts';
import type { Tables } from './schema.ts';

/** Roll-ups wait for one call no longer than this and the time of one partition. */
const longestCallMs = 5_000;

/**
 * Gives partitions of earlier versions the narrow index of `check_rows`, and removes the wide key (`checks_pkey`) when
 * all have it. Reads go on meanwhile; late results of the partition wait. `busy` is the partition of today: it gets its
 * index when its day has ended. Returns false when the next call has work at once.
 */
export async function narrowIndex(
  kysely: Kysely<Tables>,
  { busy, clock, log }: { readonly busy: string; readonly clock: Clock; readonly log: Logger },
): Promise<boolean> {
  if (!(await hasWideKey(kysely))) return true;
  const fromMs = clock.monoMs();
  const names = await withoutIndex(kysely);
  try {
    for (const name of names) {
      if (name === busy) continue;
      if (clock.monoMs() - fromMs > longestCallMs) return false;
      await addIndex(kysely, name);
    }
    if (!names.includes(busy)) await dropWideKey(kysely);
  } catch (error) {
    // A long read, such as a backup, holds the partitions: the call in an hour tries again.
    if (dbFailure(error) !== 'retry') throw error;
    log.debug({ error: messageOf(error) }, 'the partitions of checks are in use; their wide key stays');
  }
  return true;
}

async function hasWideKey(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_constraint where conname = 'checks_pkey' and conrelid = 'check_rows'::regclass`.execute(
    kysely,
  );
  return rows.length > 0;
}

/** The partitions that an earlier version made. PostgreSQL gives a new one the index when it becomes a partition. */
async function withoutIndex(kysely: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'check_rows'::regclass and not exists (
      select from pg_index x join pg_inherits of_index on of_index.inhrelid = x.indexrelid
      where x.indrelid = c.oid and of_index.inhparent = 'check_rows_by_start'::regclass)
    order by c.relname desc`.execute(kysely);
  return rows.map(({ name }) => name);
}

/** In one transaction, so that a kill leaves no half of an index. */
async function addIndex(kysely: Kysely<Tables>, name: string): Promise<void> {
  const index = `${name}_by_start`;
  await kysely.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = '2s'`.execute(trx);
    await sql`set local statement_timeout = '10min'`.execute(trx);
    await sql`
      create index ${sql.ref(index)} on ${sql.table(name)} (device_no, start_us) with (fillfactor = 100, deduplicate_items = off)`.execute(
      trx,
    );
    await sql`alter index check_rows_by_start attach partition ${sql.table(index)}`.execute(trx);
  });
}

/** All reads and writes of checks wait until it has its locks, so it tries for a moment only. */
async function dropWideKey(kysely: Kysely<Tables>): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = '500ms'`.execute(trx);
    await sql`alter table check_rows drop constraint if exists checks_pkey`.execute(trx);
  });
}
