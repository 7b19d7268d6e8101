import { Fault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';
import { type HistoryTable, isDistributed, stages } from './history-tables.ts';

/** A table of the plan. */
interface PlannedTable {
  readonly table: HistoryTable;
  /** False: it lies on the coordinator. */
  readonly done: boolean;
  /** On this server, its partitions and indexes included. */
  readonly bytes: number;
}

/** The plan: what is distributed, what is left, and over which workers. */
export interface DistributionPlan {
  /** The version of Citus. */
  readonly citus: string;
  /** `host:port`, the servers that take shards; the coordinator is one only where it was told to. */
  readonly workers: readonly string[];
  readonly tables: readonly PlannedTable[];
}

/** Reads what is there; throws a Fault that says what to do where nothing can be distributed. */
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
  const names = stages.flat();
  const { rows: tables } = await sql<{ name: HistoryTable; done: boolean; bytes: number }>`
    select t.name, exists (select from pg_dist_partition p where p.logicalrelid = t.name::regclass) as done,
      (select coalesce(sum(pg_total_relation_size(relid)), 0)::bigint from pg_partition_tree(t.name::regclass)) as bytes
    from unnest(${names}::text[]) as t (name)`.execute(kysely);
  const byName = new Map(tables.map((one) => [one.name, one]));
  return {
    citus,
    workers: workers.map(({ worker }) => worker),
    tables: names.map((table) => {
      const one = byName.get(table);
      return { table, done: one?.done === true, bytes: one?.bytes ?? 0 };
    }),
  };
}

/** The stages of which a table is left. Pure. */
export function stagesLeft(plan: Pick<DistributionPlan, 'tables'>): (readonly HistoryTable[])[] {
  const left = new Set(plan.tables.filter(({ done }) => !done).map(({ table }) => table));
  return stages.filter((tables) => tables.some((table) => left.has(table)));
}

/** A worker, and whether the coordinator reaches it. */
export interface WorkerState {
  readonly worker: string;
  readonly isUp: boolean;
}

/** The workers of a distributed history; empty where it is not distributed. Waits for a silent one. */
export async function workerStates(kysely: Kysely<Tables>): Promise<readonly WorkerState[]> {
  if (!(await isDistributed(kysely))) return [];
  const { rows } = await sql<WorkerState>`
    select nodename || ':' || nodeport as worker, citus_check_connection_to_node(nodename, nodeport) as "isUp"
    from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards order by 1`.execute(
    kysely,
  );
  return rows;
}
