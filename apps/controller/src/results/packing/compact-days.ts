import { type Logger, messageOf } from '@vantage/kernel';
import { dbFailure, lockSums, partitionOf, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/**
 * Returns the space of packed checks to the disk: rewrites the partition of each listed day with the remaining rows.
 * The days of `later` are left, because more of their checks will be packed.
 */
export async function compactDays(
  kysely: Kysely<Tables>,
  log: Logger,
  later: ReadonlySet<number> = new Set(),
): Promise<void> {
  const { rows } = await sql<{ day_us: number }>`select day_us from days_to_compact order by day_us`.execute(
    kysely,
  );
  for (const { day_us: dayUs } of rows) {
    if (later.has(dayUs)) continue;
    try {
      await kysely.transaction().execute((trx) => compactDay(trx, dayUs));
    } catch (error) {
      // A long read of the partition, such as a backup, holds it: the next call tries again.
      if (dbFailure(error) !== 'retry') throw error;
      log.debug({ dayUs, error: messageOf(error) }, 'the partition of a packed day is in use');
    }
  }
}

/** Reads wait only while the rows that are left are written back. */
async function compactDay(trx: Kysely<Tables>, dayUs: number): Promise<void> {
  await lockSums(trx);
  const { name } = partitionOf(dayUs);
  const { rows } = await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(trx);
  if (rows.length > 0) {
    const partition = sql.table(name);
    await sql`set local lock_timeout = '2s'`.execute(trx);
    await sql`set local statement_timeout = '60s'`.execute(trx);
    await sql`lock table ${partition} in share row exclusive mode`.execute(trx);
    await sql`create temporary table left_checks on commit drop as select * from ${partition}`.execute(trx);
    await sql`truncate ${partition}`.execute(trx);
    await sql`insert into ${partition} select * from left_checks`.execute(trx);
  }
  await sql`delete from days_to_compact where day_us = ${dayUs}`.execute(trx);
}
