import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/**
 * Names in `job_cursors`. An hour in work has its own row, therefore a controller that restarts finds the hour again.
 */
const rolledTo = 'roll-up';
const inWorkPrefix = 'roll-up doing ';
/** The days before this cursor are retired (`retire-days.ts`). */
const retiredTo = 'checks dropped to';

/** The progress of the roll-ups, microseconds since 1970. */
export interface RollUpProgress {
  /** Hours before this time are rolled up, except those in `dirty`. */
  readonly rolledToUs: number;
  /** Begins of the hours that are marked or in work. */
  readonly dirty: ReadonlySet<number>;
}

/** Reads the progress of the roll-ups. */
export async function readProgress(kysely: Kysely<Tables>): Promise<RollUpProgress> {
  const { rows } = await sql<{ name: string; at_us: number }>`
    select name, at_us from job_cursors where name = ${rolledTo} or starts_with(name, ${inWorkPrefix})
    union all select 'dirty', bucket_us from rollup_dirty`.execute(kysely);
  return {
    rolledToUs: rows.find(({ name }) => name === rolledTo)?.at_us ?? 0,
    dirty: new Set(rows.filter(({ name }) => name !== rolledTo).map(({ at_us }) => at_us)),
  };
}

/** Whether all hours of a span are rolled up, and none of them is marked or in work. */
export async function isRolledUp(
  kysely: Kysely<Tables>,
  { fromUs, toUs }: { readonly fromUs: number; readonly toUs: number },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from job_cursors where name = ${rolledTo} and at_us >= ${toUs}::bigint
      and not exists (select from rollup_dirty where bucket_us >= ${fromUs}::bigint and bucket_us < ${toUs}::bigint)
      and not exists (select from job_cursors where starts_with(name, ${inWorkPrefix})
        and at_us >= ${fromUs}::bigint and at_us < ${toUs}::bigint)`.execute(kysely);
  return rows.length > 0;
}

/** The begin of the first hour that is marked or in work; undefined: none is. */
export async function firstWaitingHour(kysely: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ first_us: number | null }>`
    select least((select min(bucket_us) from rollup_dirty),
      (select min(at_us) from job_cursors where starts_with(name, ${inWorkPrefix}))) as first_us`.execute(
    kysely,
  );
  return rows[0]?.first_us ?? undefined;
}

/** The time before which the sums are final; undefined: no day was retired yet. */
export function readRetired(kysely: Kysely<Tables>): Promise<number | undefined> {
  return readCursor(kysely, retiredTo);
}

/** Moves that time forward. */
export async function setRetired(trx: Kysely<Tables>, atUs: number): Promise<void> {
  await setCursor(trx, retiredTo, atUs);
}

/**
 * Marks hours to be rolled up again; `buckets` are their begins. The share lock keeps the roll-up from removing a mark
 * before the rows of this transaction are visible.
 */
export async function addDirtyHours(trx: Kysely<Tables>, buckets: readonly number[]): Promise<void> {
  const hours = [...new Set(buckets)].sort((a, b) => a - b);
  if (hours.length === 0) return;
  for (let found = 0; found < hours.length; ) {
    await insertMarks(trx, hours);
    const { rows } = await sql`
      select 1 from rollup_dirty where bucket_us = any(${hours}::bigint[]) order by bucket_us for share`.execute(
      trx,
    );
    found = rows.length;
  }
}

/**
 * Removes the earliest mark and records its hour as in work. The mark is removed before the work starts, so a result
 * that arrives meanwhile marks the hour again. Undefined: no hour is marked.
 */
export function beginDirtyHour(kysely: Kysely<Tables>): Promise<number | undefined> {
  return kysely.transaction().execute(async (trx) => {
    const { rows } = await sql<{ bucket_us: number }>`
      delete from rollup_dirty where bucket_us = (select min(bucket_us) from rollup_dirty)
      returning bucket_us`.execute(trx);
    const bucket = rows[0]?.bucket_us;
    if (bucket !== undefined) await setCursor(trx, inWork(bucket), bucket);
    return bucket;
  });
}

/** Records that the hour is rolled up. */
export async function endHour(kysely: Kysely<Tables>, bucket: number): Promise<void> {
  await kysely.deleteFrom('job_cursors').where('name', '=', inWork(bucket)).execute();
}

/** Begins of the hours that a controller began and did not end, the earliest first. */
export async function unfinishedHours(kysely: Kysely<Tables>): Promise<number[]> {
  const { rows } = await sql<{ at_us: number }>`
    select at_us from job_cursors where starts_with(name, ${inWorkPrefix}) order by at_us`.execute(kysely);
  return rows.map((row) => row.at_us);
}

/** Marks the hours that `due` names from the last position on, and moves the position behind them. */
export async function addEndedHours(
  kysely: Kysely<Tables>,
  firstUs: (trx: Kysely<Tables>) => Promise<number>,
  due: (fromUs: number) => { readonly hours: readonly number[]; readonly toUs: number },
): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    const { hours, toUs } = due((await readCursor(trx, rolledTo)) ?? (await firstUs(trx)));
    await insertMarks(trx, hours);
    await setCursor(trx, rolledTo, toUs);
  });
}

async function readCursor(kysely: Kysely<Tables>, name: string): Promise<number | undefined> {
  const query = kysely.selectFrom('job_cursors').select('at_us').where('name', '=', name);
  return (await query.executeTakeFirst())?.at_us;
}

function inWork(bucket: number): string {
  return `${inWorkPrefix}${bucket}`;
}

async function insertMarks(trx: Kysely<Tables>, buckets: readonly number[]): Promise<void> {
  await sql`
    insert into rollup_dirty (bucket_us) select unnest(${buckets}::bigint[]) on conflict do nothing`.execute(
    trx,
  );
}

async function setCursor(kysely: Kysely<Tables>, name: string, atUs: number): Promise<void> {
  await kysely
    .insertInto('job_cursors')
    .values({ name, at_us: atUs })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ at_us: atUs }))
    .execute();
}
