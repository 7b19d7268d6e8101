import { dayUs } from '@vantage/domain';
import { readIfPresent, replaceFile } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../db/index.ts';
import type { FoundEpoch } from './decide-history.ts';

/**
 * Names this run of the server and this copy of the tables: a promoted replica, a restored or restarted server and a
 * restored dump give another text. Every role may call these functions.
 */
const server = sql`concat_ws('/', extract(epoch from pg_postmaster_start_time()),
  (select oid from pg_database where datname = current_database()), pg_relation_filenode('database_epochs'))`;

const keptUs = 31 * dayUs;

/** Begins an epoch with mark 0, and deletes those that nobody remembers any more. */
export async function beginEpoch(db: Kysely<Tables>, epochId: string, nowUs: number): Promise<void> {
  await sql`delete from database_epochs where marked_us < ${nowUs - keptUs}::bigint`.execute(db);
  await sql`
    insert into database_epochs (epoch_id, server, mark, began_us, marked_us)
    values (${epochId}, ${server}, 0, ${nowUs}, ${nowUs})`.execute(db);
}

/**
 * Writes the next mark of an epoch; false when the database lacks the mark before it, or is another run of the server.
 */
export async function writeMark(
  db: Kysely<Tables>,
  { epochId, mark, nowUs }: { readonly epochId: string; readonly mark: number; readonly nowUs: number },
): Promise<boolean> {
  const { rows } = await sql`
    update database_epochs set mark = ${mark}, marked_us = ${nowUs}
    where epoch_id = ${epochId} and mark between ${mark - 1} and ${mark} and server = ${server} returning mark`.execute(
    db,
  );
  return rows.length > 0;
}

/** A number that grows with each row that takes one from a sequence: devices, changes in the audit, events, alerts. */
export async function numbersTaken(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ sum: number }>`
    select coalesce(sum(last_value), 0)::float8 as sum from pg_sequences where schemaname = current_schema()`.execute(
    db,
  );
  return rows[0]?.sum ?? 0;
}

/** These epochs as the database has them. */
export async function readEpochs(
  db: Kysely<Tables>,
  epochIds: readonly string[],
): Promise<ReadonlyMap<string, FoundEpoch>> {
  const { rows } = await sql<FoundEpoch & { epochId: string }>`
    select epoch_id as "epochId", mark, marked_us as "markedUs", server = ${server} as "isPresentServer"
    from database_epochs where epoch_id = any(${epochIds}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.epochId, row]));
}

/** The newest moment at which any controller wrote a mark into this database; null without any. */
export async function newestMarkUs(db: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{ us: number | null }>`select max(marked_us) as us from database_epochs`.execute(
    db,
  );
  return rows[0]?.us ?? null;
}

/**
 * Moves the sequences beyond the numbers that were given since the time to which the database went back. Those of
 * Locations and accounts stay: no agent sends them, and small numbers of Locations make small rows of checks.
 */
export async function skipNumbers(db: Kysely<Tables>): Promise<void> {
  await sql`
    select setval(format('%I.%I', schemaname, sequencename)::regclass,
      least(coalesce(last_value, min_value) + case when max_value > 2147483647 then 1000000 else 1000 end, max_value))
    from pg_sequences where schemaname = current_schema() and sequencename not like 'locations\\_%' and sequencename not like 'accounts\\_%'`.execute(
    db,
  );
}

const lostSpan = z.object({ fromUs: z.number(), toUs: z.number().nullable(), seenUs: z.number() });

/**
 * The time that the database lost: it has nothing from `toUs` (null: not known) to `fromUs`, the last mark that a
 * controller wrote; that was noticed at `seenUs`. Microseconds since 1970.
 */
export type LostSpan = z.output<typeof lostSpan>;

const stored = z.object({
  epochId: z.string(),
  mark: z.number(),
  markedUs: z.number(),
  wentBack: lostSpan.optional(),
});

/** The last mark with its epoch, and the last time that the database went back. */
export type Remembered = z.output<typeof stored>;

/** The last mark of the controller's earlier run; undefined without one, and where the file cannot be read. */
export async function readRemembered(file: string): Promise<Remembered | undefined> {
  try {
    return stored.safeParse(JSON.parse((await readIfPresent(file)) ?? '')).data;
  } catch {
    return undefined;
  }
}

/**
 * Writes the mark without an fsync: after a power cut the file may be older, or unreadable, and then only the agents
 * notice. A disk that refuses it keeps the old one; the next mark comes in seconds.
 */
export async function remember(file: string, mark: Remembered): Promise<void> {
  await replaceFile(file, JSON.stringify(mark), { isSynced: false }).catch(() => {});
}
