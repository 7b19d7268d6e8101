import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { InstallationProblem } from './installation-finding.ts';

/** The clock of the database, because the clocks of controllers may be wrong. */
const databaseUs = sql`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/** A row is valid for this time. A controller that still finds the problem writes it again before. */
const countsForUs = 120_000_000;

/**
 * Stores the problems that a controller finds now, and removes its earlier ones and those of controllers that have
 * ended.
 */
export async function storeProblems(
  kysely: Kysely<Tables>,
  controllerId: string,
  problems: readonly InstallationProblem[],
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
