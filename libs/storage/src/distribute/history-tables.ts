import { Fault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { Tables } from '../schema/tables.ts';

/**
 * The tables of the history. `workers`: `database distribute` moves the table to the workers of a Citus cluster.
 * `coordinator`: it is there to stay; version 0.3.0 distributed it, and `database distribute` moves it back.
 */
export const historyTables = {
  packed_checks: 'workers',
  check_rows: 'coordinator',
  check_facts: 'coordinator',
  rollup_hourly: 'coordinator',
  rollup_daily: 'coordinator',
} as const;

export type HistoryTable = keyof typeof historyTables;

/** The names of the tables, in the order in which `database distribute` moves them. */
export const historyTableNames: readonly HistoryTable[] = [
  'packed_checks',
  'check_rows',
  'check_facts',
  'rollup_hourly',
  'rollup_daily',
];

/** The tables that stay on the coordinator. */
const hotTables = historyTableNames.filter((name) => historyTables[name] === 'coordinator');

/**
 * The SQL condition that one of these tables is on workers. Citus marks such a table with a trigger, so the condition
 * needs no Citus.
 */
function onWorkersSql(names: readonly HistoryTable[]): string {
  const tables = names.map((name) => `to_regclass('${name}')`).join(', ');
  return `exists (select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where p.proname = 'citus_truncate_trigger' and t.tgrelid in (${tables}))`;
}

/** The SQL condition that the history, or a part of it, is on workers; it needs no Citus. */
export const isDistributedSql: string = onWorkersSql(historyTableNames);

/** Whether the history, or a part of it, is on the workers of a Citus cluster. */
export async function isDistributed(kysely: Kysely<Tables>): Promise<boolean> {
  return holds(kysely, isDistributedSql);
}

/** Whether tables are on the workers that belong to the coordinator: version 0.3.0 moved them there. */
export async function areHotTablesDistributed(kysely: Kysely<Tables>): Promise<boolean> {
  return holds(kysely, onWorkersSql(hotTables));
}

async function holds(kysely: Kysely<Tables>, condition: string): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean }>`select ${sql.raw(condition)} as holds`.execute(kysely);
  return rows[0]?.holds === true;
}

/**
 * A statement that sets, until the transaction ends, whether Citus repeats schema changes on the workers. PostgreSQL
 * without Citus ignores the setting.
 */
export function propagation(how: string): string {
  return `select set_config('citus.enable_ddl_propagation', ${how}, true)`;
}

/**
 * Throws a Fault that starts with `what` where the history is distributed: Citus has no common snapshot of the
 * coordinator and the workers.
 */
export async function refuseDistributed(client: Pick<pg.Client, 'query'>, what: string): Promise<void> {
  const { rows } = await client.query<{ distributed: boolean }>(`select ${isDistributedSql} as distributed`);
  if (rows[0]?.distributed !== true) return;
  throw new Fault(
    'stop',
    'distributed',
    `${what}: packed days are on the workers of a Citus cluster, and have no common snapshot with the coordinator; use the tools of PostgreSQL on all servers (docs/operate.md, "History on Citus")`,
  );
}
