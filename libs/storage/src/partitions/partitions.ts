import type { Clock, Logger } from '@vantage/kernel';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Db } from '../db-access.ts';
import type { Tables } from '../schema/tables.ts';
import { narrowIndex } from './narrow-index.ts';
import { daysWanted, namesToDrop, partitionOf, startOfDay } from './partition-days.ts';

/** Daily partitions of `check_rows`, UTC. */
export interface Partitions {
  /** Creates the missing partitions, from the oldest day of the retention to two days ahead. */
  ensure(): Promise<void>;
  /** Drops the partitions that ended before the retention, as of `nowUs`; returns their names. */
  drop(nowUs: number): Promise<string[]>;
  /**
   * Adds the narrow index to partitions of earlier versions (`narrow-index.ts`); false: the next call must continue.
   */
  narrowIndex(): Promise<boolean>;
}

export function createPartitions({
  db,
  clock,
  log,
  retentionDays,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionDays: number;
}): Partitions {
  return {
    async ensure() {
      const there = new Set(await partitionNames(db.kysely));
      const { attempt, rethrow } = createAttempts();
      for (const day of daysWanted(clock.nowUs(), retentionDays)) {
        const { name, fromUs, toUs } = partitionOf(day);
        if (!there.has(name)) await attempt(() => addPartition(db.kysely, name, fromUs, toUs));
      }
      rethrow();
    },
    async drop(nowUs) {
      const names = namesToDrop(await partitionNames(db.kysely), nowUs, retentionDays);
      const { attempt, rethrow } = createAttempts();
      for (const name of names) await attempt(() => dropPartition(db.kysely, name));
      rethrow();
      if (names.length > 0) log.info({ partitions: names }, 'checks older than the retention are dropped');
      return names;
    },
    narrowIndex: () =>
      narrowIndex(db.kysely, { busy: partitionOf(startOfDay(clock.nowUs())).name, clock, log }),
  };
}

/** Continues after a failed day; throws the first error at the end. */
function createAttempts() {
  const failed: unknown[] = [];
  return {
    attempt: (work: () => Promise<void>) => work().catch((error: unknown) => void failed.push(error)),
    rethrow: () => {
      if (failed.length > 0) throw failed[0];
    },
  };
}

async function partitionNames(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'check_rows'::regclass`.execute(db);
  return rows.map((row) => row.name);
}

/** The start of the oldest day with a partition, microseconds since 1970; undefined: there is no partition. */
export async function oldestPartitionUs(db: Kysely<Tables>): Promise<number | undefined> {
  const days = (await partitionNames(db)).flatMap(
    (name) => /^checks_(\d{4})(\d\d)(\d\d)$/.exec(name)?.slice(1).join('-') ?? [],
  );
  const [oldest] = days.sort();
  return oldest === undefined ? undefined : Date.parse(oldest) * 1000;
}

/** Creates a table and then attaches it, because `attach` does not block inserts into other partitions. */
async function addPartition(db: Kysely<Tables>, name: string, fromUs: number, toUs: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Two controllers that start together would create the same table.
    await sql`select pg_advisory_xact_lock(${0x7603}::int, 0)`.execute(trx);
    const { rows } = await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(trx);
    if (rows.length > 0) return;
    const table = sql.table(name);
    await sql`create table ${table} (${await columnsBySize(trx)})`.execute(trx);
    await sql`alter table check_rows attach partition ${table} for values from (${sql.lit(fromUs)}) to (${sql.lit(toUs)})`.execute(
      trx,
    );
  });
}

/**
 * The columns of the table, the widest first, so that rows need no padding. Older partitions may have another order.
 */
async function columnsBySize(db: Kysely<Tables>): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ name: string; type: string; notNull: boolean }>`
    select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as "notNull" from pg_attribute
    where attrelid = 'check_rows'::regclass and attnum > 0 and not attisdropped
    order by greatest(attlen, 0) desc, attnotnull desc, attnum`.execute(db);
  return sql.join(
    rows.map(
      ({ name, type, notNull }) =>
        sql`${sql.ref(name)} ${sql.raw(type)} ${sql.raw(notNull ? 'not null' : '')}`,
    ),
  );
}

async function dropPartition(db: Kysely<Tables>, name: string): Promise<void> {
  await sql`drop table if exists ${sql.table(name)}`.execute(db);
}
