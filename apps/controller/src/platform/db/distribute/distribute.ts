import type { Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Db } from '../db.ts';
import type { Tables } from '../schema.ts';
import { createScope } from '../scope.ts';
import { askWorkers } from './ask-workers.ts';
import { type HistoryTable, isDistributed, propagation, stages } from './history-tables.ts';
import { type DistributionPlan, planDistribution, stagesLeft } from './plan.ts';
import { identifyRows, partitionsWithoutIdentity } from './replica-identity.ts';

/**
 * Distributes what is left of the plan, a stage in each transaction, and says each step. Results wait in the agents'
 * outboxes while the rows of a stage are copied to the workers. A call after a kill goes on with the stage that
 * was not done. Returns the plan as it is then.
 */
export async function distributeHistory(
  db: Db,
  ask: { readonly shards: number; readonly say: (line: string) => void; readonly log: Logger },
): Promise<DistributionPlan> {
  const left = stagesLeft(await planDistribution(db.kysely));
  for (const [at, tables] of left.entries()) {
    ask.say(
      `${at + 1} of ${left.length}: the rows of ${tables.join(' and ')} go to the workers; writers wait`,
    );
    await db.inTransaction(() => distributeStage(db.kysely, tables, ask));
  }
  for (const table of stages.flat()) await dropLocalRows(db, table);
  for (const name of await partitionsWithoutIdentity(db.kysely))
    await db.kysely.transaction().execute(async (trx) => {
      await withoutTimeLimits(trx);
      await identifyRows(trx, name);
    });
  return planDistribution(db.kysely);
}

async function distributeStage(
  trx: Kysely<Tables>,
  tables: readonly HistoryTable[],
  { shards, log }: { readonly shards: number; readonly log: Logger },
): Promise<void> {
  await withoutTimeLimits(trx);
  const isFirst = tables.includes('check_rows');
  // Citus copies the view to the workers, and its triggers with it.
  if (isFirst)
    await sql`select create_distributed_function('insert_check()'), create_distributed_function('update_check()')`.execute(
      trx,
    );
  for (const table of tables)
    await (table === 'check_rows'
      ? sql`select create_distributed_table('check_rows', 'device_no', shard_count => ${shards}::int, colocate_with => 'none')`
      : sql`select create_distributed_table(${table}::regclass, 'device_no', colocate_with => 'check_rows')`
    ).execute(trx);
  await sql.raw(propagation(`'off'`)).execute(trx);
  if (isFirst) await askWorkers(trx);
  await createScope(trx, log);
}

/** The copy of a table takes as long as it takes, and waits for those who use it. */
async function withoutTimeLimits(trx: Kysely<Tables>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '60s', true)`.execute(
    trx,
  );
}

/** Citus leaves the rows that it copied in the coordinator's table, where nothing reads them. */
async function dropLocalRows({ kysely }: Db, table: HistoryTable): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await withoutTimeLimits(trx);
    await sql`select truncate_local_data_after_distributing_table(${table}::regclass)`.execute(trx);
  });
}

/** Does Citus move shards of a distributed history, or is it about to? */
export async function areShardsMoving(kysely: Kysely<Tables>): Promise<boolean> {
  if (!(await isDistributed(kysely))) return false;
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from pg_dist_background_job where state in ('scheduled', 'running', 'cancelling')) as is`.execute(
    kysely,
  );
  return rows[0]?.is === true;
}
