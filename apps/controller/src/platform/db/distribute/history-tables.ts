import { Fault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { Tables } from '../schema.ts';

/**
 * The tables of the history, each with `device_no` first. Those of a stage become distributed in one transaction: the
 * view `checks` reads the first two.
 */
export const stages = [
  ['check_rows', 'check_facts'],
  ['packed_checks'],
  ['rollup_hourly'],
  ['rollup_daily'],
] as const;

/** A table of the history. */
export type HistoryTable = (typeof stages)[number][number];

/**
 * The functions that statements on local tables call (migration 0175). In plpgsql each call asks the worker of its
 * device. `isOfStatus`: lists of devices and messages of alerts call it, which go on without the checks of a worker
 * that is away.
 */
export const historyFunctions: readonly { readonly name: string; readonly isOfStatus: boolean }[] = [
  { name: 'newest_checks', isOfStatus: true },
  { name: 'newest_packed_day', isOfStatus: true },
  { name: 'newest_verdicts', isOfStatus: true },
  { name: 'first_failures', isOfStatus: true },
  { name: 'checks_page', isOfStatus: false },
  { name: 'failed_checks', isOfStatus: true },
];

/** The condition in SQL that the history is distributed; it needs no Citus. */
export const isDistributedSql = `exists (select from pg_proc p join pg_language l on l.oid = p.prolang
  where p.proname = 'newest_checks' and p.pronamespace = current_schema()::regnamespace and l.lanname = 'plpgsql')`;

/** Lies the history on the workers of a Citus cluster? */
export async function isDistributed(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select ${sql.raw(isDistributedSql)} as is`.execute(kysely);
  return rows[0]?.is === true;
}

/**
 * Says whether Citus repeats changes of the schema on the workers, until the transaction ends. PostgreSQL without Citus
 * keeps the setting and does nothing.
 */
export function propagation(how: string): string {
  return `select set_config('citus.enable_ddl_propagation', ${how}, true)`;
}

/**
 * Throws a Fault that begins with `what` where the history is distributed: Citus reads the workers' rows as they are
 * when it asks for them, never as of the moment of the coordinator's.
 */
export async function refuseDistributed(client: Pick<pg.Client, 'query'>, what: string): Promise<void> {
  const { rows } = await client.query<{ is: boolean }>(`select ${isDistributedSql} as is`);
  if (rows[0]?.is !== true) return;
  throw new Fault(
    'stop',
    'distributed',
    `${what}: the history lies on the workers of a Citus cluster, and cannot be read as of one moment; use the means of PostgreSQL on all servers (docs/operate.md, "History on Citus")`,
  );
}
