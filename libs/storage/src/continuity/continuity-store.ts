import { dayUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { FoundEpoch } from './decide-history.ts';

/**
 * Identifies this run of the server and this copy of the tables: the text differs on a promoted replica, after a
 * restart or restore of the server, and after the restore of a dump. Every role may call these functions.
 */
const server = sql`concat_ws('/', extract(epoch from pg_postmaster_start_time()),
  (select oid from pg_database where datname = current_database()), pg_relation_filenode('database_epochs'))`;

const keptUs = 31 * dayUs;

/** Begins an epoch at position 0, and deletes epochs that no controller or agent remembers. */
export async function beginEpoch(db: Kysely<Tables>, epochId: string, nowUs: number): Promise<void> {
  await sql`delete from database_epochs where marked_us < ${nowUs - keptUs}::bigint`.execute(db);
  await sql`
    insert into database_epochs (epoch_id, server, mark, began_us, marked_us)
    values (${epochId}, ${server}, 0, ${nowUs}, ${nowUs})`.execute(db);
}

/**
 * Writes the next position of an epoch; false when the database lacks the previous position, or another run of the
 * server answers.
 */
export async function writePosition(
  db: Kysely<Tables>,
  {
    epochId,
    position,
    nowUs,
  }: { readonly epochId: string; readonly position: number; readonly nowUs: number },
): Promise<boolean> {
  const { rows } = await sql`
    update database_epochs set mark = ${position}, marked_us = ${nowUs}
    where epoch_id = ${epochId} and mark between ${position - 1} and ${position} and server = ${server}
    returning epoch_id`.execute(db);
  return rows.length > 0;
}

/** A number that grows with each new row of a table with a sequence: devices, audit entries, events, alerts. */
export async function sumOfSequences(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ sum: number }>`
    select coalesce(sum(last_value), 0)::float8 as sum from pg_sequences where schemaname = current_schema()`.execute(
    db,
  );
  return rows[0]?.sum ?? 0;
}

export async function readEpochs(
  db: Kysely<Tables>,
  epochIds: readonly string[],
): Promise<ReadonlyMap<string, FoundEpoch>> {
  const { rows } = await sql<FoundEpoch & { epochId: string }>`
    select epoch_id as "epochId", mark as position, marked_us as "writtenUs", server = ${server} as "isPresentServer"
    from database_epochs where epoch_id = any(${epochIds}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.epochId, row]));
}

/** The last time at which any controller wrote a position into this database; null: never. */
export async function lastWrittenUs(db: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{ us: number | null }>`select max(marked_us) as us from database_epochs`.execute(
    db,
  );
  return rows[0]?.us ?? null;
}

/**
 * Advances the sequences beyond the numbers that were used since the time to which the database went back. The
 * sequences of Locations and accounts stay: agents send neither number, and small numbers of Locations make small rows
 * of checks.
 */
export async function skipNumbers(db: Kysely<Tables>): Promise<void> {
  await sql`
    select setval(format('%I.%I', schemaname, sequencename)::regclass,
      least(coalesce(last_value, min_value) + case when max_value > 2147483647 then 1000000 else 1000 end, max_value))
    from pg_sequences where schemaname = current_schema() and sequencename not like 'locations\\_%' and sequencename not like 'accounts\\_%'`.execute(
    db,
  );
}
