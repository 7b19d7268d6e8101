import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { dbFailure } from '../pool/pg-error.ts';
import type { Tables } from '../schema/tables.ts';

/** Roll-ups wait for a call: it starts no further partition after this time. */
const maxCallMs = 5_000;

/**
 * Adds the narrow index of `check_rows` to partitions of earlier versions, and drops the wide key (`checks_pkey`) when
 * all partitions have the index. Reads continue meanwhile; late results of the partition wait. `busy` is the partition
 * of today, which gets its index after the end of its day. Returns false when the next call has more to do.
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
      if (clock.monoMs() - fromMs > maxCallMs) return false;
      await addIndex(kysely, name);
    }
    if (!names.includes(busy)) await dropWideKey(kysely);
  } catch (error) {
    // A long read, such as a backup, locks the partitions. The call of the next hour tries again.
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

/** The partitions of earlier versions. PostgreSQL adds the index when it attaches a new partition. */
async function withoutIndex(kysely: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'check_rows'::regclass and not exists (
      select from pg_index x join pg_inherits of_index on of_index.inhrelid = x.indexrelid
      where x.indrelid = c.oid and of_index.inhparent = 'check_rows_by_start'::regclass)
    order by c.relname desc`.execute(kysely);
  return rows.map(({ name }) => name);
}

/** Uses one transaction, so that a kill leaves no partial index. */
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

/** Gives up after a short time, because all reads and writes of checks queue behind its lock request. */
async function dropWideKey(kysely: Kysely<Tables>): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = '500ms'`.execute(trx);
    await sql`alter table check_rows drop constraint if exists checks_pkey`.execute(trx);
  });
}
