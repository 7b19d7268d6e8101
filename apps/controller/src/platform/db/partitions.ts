import { dayUs } from '@vantage/domain';
import type { Clock, Logger } from '@vantage/kernel';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Db } from './db.ts';
import { isDistributed } from './distribute/history-tables.ts';
import { identifyRows } from './distribute/replica-identity.ts';
import { narrowIndex } from './narrow-index.ts';
import type { Tables } from './schema.ts';

const aheadDays = 2;

/** Stands for "still going on" and "without an end"; later than any time. */
export const foreverUs = Number.MAX_SAFE_INTEGER;

/** Daily partitions of `check_rows`, UTC. */
export interface Partitions {
  /** Creates the missing ones, from the oldest day kept to two days ahead. */
  ensure(): Promise<void>;
  /** Drops those whose end is older than the retention before `nowUs`; returns their names. */
  drop(nowUs: number): Promise<string[]>;
  /** Gives those of earlier versions their narrow index (`narrow-index.ts`); false: work is left for the next call. */
  narrowIndex(): Promise<boolean>;
}

/** The partition of a day: its name and the bounds of `start_us`. Pure. */
export function partitionOf(dayStartUs: number): {
  readonly name: string;
  readonly fromUs: number;
  readonly toUs: number;
} {
  const day = new Date(dayStartUs / 1000).toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `checks_${day}`, fromUs: dayStartUs, toUs: dayStartUs + dayUs };
}

/** The days that must have a partition at a time. Pure. */
export function daysWanted(nowUs: number, retentionDays: number): number[] {
  const first = startOfDay(nowUs - retentionDays * dayUs);
  const last = startOfDay(nowUs) + aheadDays * dayUs;
  return Array.from({ length: (last - first) / dayUs + 1 }, (_, i) => first + i * dayUs);
}

/** So many days at most lose their checks in one run, so that a wrong clock is noticed before it has cost much. */
export const mostDaysInRun = 2;

/** The names of the oldest partitions that hold only checks older than the retention, at most `mostDaysInRun`. Pure. */
export function namesToDrop(names: readonly string[], nowUs: number, retentionDays: number): string[] {
  const oldest = partitionOf(startOfDay(nowUs - retentionDays * dayUs)).name;
  const old = names.filter((name) => /^checks_\d{8}$/.test(name) && name < oldest);
  return old.sort().slice(0, mostDaysInRun);
}

/** Creates the functions that make and drop the partitions of `check_rows`. */
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

/** A day that fails does not stop the other days. The first error is thrown at the end. */
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

/** The begin of the oldest day that has a partition, microseconds since 1970; undefined: none has. */
export async function oldestPartitionUs(db: Kysely<Tables>): Promise<number | undefined> {
  const days = (await partitionNames(db)).flatMap(
    (name) => /^checks_(\d{4})(\d\d)(\d\d)$/.exec(name)?.slice(1).join('-') ?? [],
  );
  const [oldest] = days.sort();
  return oldest === undefined ? undefined : Date.parse(oldest) * 1000;
}

/** Creates a table and then attaches it, because inserts into other partitions can go on during `attach`. */
async function addPartition(db: Kysely<Tables>, name: string, fromUs: number, toUs: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Two controllers that start together would create the same table.
    await sql`select pg_advisory_xact_lock(${0x7603}::int, 0)`.execute(trx);
    const { rows } = await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(trx);
    if (rows.length > 0) return;
    const table = sql.table(name);
    await sql`create table ${table} (${await columnsBySize(trx)})`.execute(trx);
    if (await isDistributed(trx)) await identifyRows(trx, name);
    await sql`alter table check_rows attach partition ${table} for values from (${sql.lit(fromUs)}) to (${sql.lit(toUs)})`.execute(
      trx,
    );
  });
}

/**
 * The columns of the table, the widest first: a row then has no unused bytes between its columns. Partitions of earlier
 * days have another order.
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

/** The begin of a moment's day in UTC, microseconds since 1970: where its partition begins. Pure. */
export function startOfDay(us: number): number {
  return us - (us % dayUs);
}
