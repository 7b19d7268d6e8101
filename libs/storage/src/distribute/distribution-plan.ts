import { Fault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { type HistoryTable, historyTableNames, historyTables, isDistributed } from './history-tables.ts';

interface PlannedTable {
  readonly table: HistoryTable;
  /** The servers on which it belongs. */
  readonly place: 'workers' | 'coordinator';
  /** True: it is there. */
  readonly done: boolean;
  /** The size of what is elsewhere, including partitions and indexes; 0 where it is done. */
  readonly bytes: number;
}

/** The place of each table of the history, and the workers. */
export interface DistributionPlan {
  /** The version of Citus. */
  readonly citus: string;
  /** `host:port` of the servers that take shards; the coordinator only where it is configured to. */
  readonly workers: readonly string[];
  readonly tables: readonly PlannedTable[];
}

/** Reads the state of the cluster. Throws a Fault with the remedy where nothing can be distributed. */
export async function planDistribution(kysely: Kysely<Tables>): Promise<DistributionPlan> {
  const { rows: found } = await sql<{ version: string | null }>`
    select (select extversion from pg_extension where extname = 'citus') as version`.execute(kysely);
  const citus = found[0]?.version;
  if (citus === null || citus === undefined)
    throw new Fault(
      'stop',
      'no_citus',
      'the database has no extension citus: install Citus on all servers, run "create extension citus" in this database on each, and add the workers with citus_add_node (docs/operate.md, "History on Citus")',
    );
  const { rows: workers } = await sql<{ worker: string }>`
    select nodename || ':' || nodeport as worker from pg_dist_node
    where noderole = 'primary' and isactive and shouldhaveshards order by nodename, nodeport`.execute(kysely);
  if (workers.length === 0)
    throw new Fault(
      'stop',
      'no_workers',
      `no server of the cluster takes shards: on the coordinator, run "select citus_set_coordinator_host('HOST', PORT)" and "select citus_add_node('WORKER', PORT)" for each worker, or "select citus_set_node_property('HOST', PORT, 'shouldhaveshards', true)" to begin on the coordinator alone`,
    );
  const { rows: tables } = await sql<{ name: HistoryTable; distributed: boolean; bytes: number }>`
    select t.name, exists (select from pg_dist_partition p where p.logicalrelid = t.name::regclass) as distributed,
      (select coalesce(sum(pg_total_relation_size(relid)), 0)::bigint from pg_partition_tree(t.name::regclass)) as bytes
    from unnest(${historyTableNames}::text[]) as t (name)`.execute(kysely);
  const byName = new Map(tables.map((table) => [table.name, table]));
  const planned: PlannedTable[] = [];
  for (const table of historyTableNames) {
    const place = historyTables[table];
    const { distributed = false, bytes = 0 } = byName.get(table) ?? {};
    const done = distributed === (place === 'workers');
    const left = place === 'workers' ? bytes : done ? 0 : await bytesOnWorkers(kysely, table);
    planned.push({ table, place, done, bytes: done ? 0 : left });
  }
  return { citus, workers: workers.map(({ worker }) => worker), tables: planned };
}

async function bytesOnWorkers(kysely: Kysely<Tables>, table: HistoryTable): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(citus_total_relation_size(relid)), 0)::bigint as bytes from pg_partition_tree(${table}::regclass)
    where isleaf`.execute(kysely);
  return rows[0]?.bytes ?? 0;
}

/**
 * The steps that are left, each one transaction. The view `checks` reads two tables, which move together. The tables of
 * the coordinator come back first, because everything but old pages depends on them. Pure.
 */
export function stepsLeft(plan: Pick<DistributionPlan, 'tables'>): (readonly HistoryTable[])[] {
  const left = new Set(plan.tables.filter(({ done }) => !done).map(({ table }) => table));
  return steps
    .map((tables) => tables.filter((table) => left.has(table)))
    .filter((tables) => tables.length > 0);
}

const steps: readonly (readonly HistoryTable[])[] = [
  ['check_rows', 'check_facts'],
  ['rollup_hourly'],
  ['rollup_daily'],
  ['packed_checks'],
];

export interface WorkerState {
  readonly worker: string;
  /** The coordinator reaches it. */
  readonly isUp: boolean;
}

/** The workers of a distributed history; empty where it is not distributed. Waits for silent workers. */
export async function workerStates(kysely: Kysely<Tables>): Promise<readonly WorkerState[]> {
  if (!(await isDistributed(kysely))) return [];
  const { rows } = await sql<WorkerState>`
    select nodename || ':' || nodeport as worker, citus_check_connection_to_node(nodename, nodeport) as "isUp"
    from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards order by 1`.execute(
    kysely,
  );
  return rows;
}
