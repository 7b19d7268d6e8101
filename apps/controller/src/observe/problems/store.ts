import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import type { Problem } from './problem.ts';

/** The clock of the database: those of the controllers may be wrong. */
const databaseUs = sql`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/** A row counts for this time; a controller that still sees the problem writes it again before. */
const countsForUs = 120_000_000;

/**
 * Stores the problems that a controller sees now, removes those that it saw before, and those of controllers that
 * ended.
 */
export async function storeProblems(
  kysely: Kysely<Tables>,
  controllerId: string,
  problems: readonly Problem[],
): Promise<void> {
  const kinds = problems.map(({ kind }) => kind);
  await sql`
    delete from installation_problems
    where ends_us < ${databaseUs} or (controller_id = ${controllerId} and kind <> all(${kinds}::text[]))`.execute(
    kysely,
  );
  for (const { kind, reason, accountNos } of problems)
    await sql`
      insert into installation_problems (controller_id, kind, reason, ends_us, account_nos)
      values (${controllerId}, ${kind}, ${reason}, ${databaseUs} + ${countsForUs}::bigint, ${accountNos ?? null}::int[])
      on conflict (controller_id, kind) do update set reason = excluded.reason, ends_us = excluded.ends_us,
        account_nos = excluded.account_nos`.execute(kysely);
}

/** The ages of the newest backup and of the newest verified one, seconds; null: there is none. */
export interface BackupAges {
  readonly made: number | null;
  readonly verified: number | null;
}

/** Reads the ages of the backups, by the clock of the database. */
export async function readBackupAges(kysely: Kysely<Tables>): Promise<BackupAges> {
  const { rows } = await sql<BackupAges>`
    select ((${databaseUs} - at_us) / 1000000)::float8 as made,
      ((${databaseUs} - verified_us) / 1000000)::float8 as verified
    from last_backup`.execute(kysely);
  return rows[0] ?? { made: null, verified: null };
}
