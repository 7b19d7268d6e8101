import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { withoutScope } from '../scope/scope-views.ts';
import { type DistributionPlan, planDistribution, stepsLeft } from './distribution-plan.ts';
import { type HistoryTable, historyTables, propagation } from './history-tables.ts';

/**
 * Moves each table of the history to its place: packed days to the workers, and what version 0.3.0 distributed besides
 * them back to the coordinator. One transaction for each step, which it reports. After a kill, the next call continues
 * with the unfinished step. Returns the plan after that.
 */
export async function distributeHistory(
  { kysely }: { readonly kysely: Kysely<Tables> },
  deps: { readonly shards: number; readonly say: (line: string) => void },
): Promise<DistributionPlan> {
  const left = stepsLeft(await planDistribution(kysely));
  for (const [at, tables] of left.entries()) {
    const isBack = tables.every((table) => historyTables[table] === 'coordinator');
    deps.say(
      `${at + 1} of ${left.length}: the rows of ${tables.join(' and ')} go ${isBack ? 'back to the coordinator; writers wait' : 'to the workers; packing waits'}`,
    );
    await kysely.transaction().execute(async (trx) => {
      await withoutTimeLimits(trx);
      await sql.raw(propagation(`'off'`)).execute(trx);
      await withoutScope(trx, () => (isBack ? moveBack(trx, tables) : distribute(trx, deps.shards)));
    });
  }
  await dropLocalRows(kysely);
  await sql`analyze`.execute(kysely);
  return planDistribution(kysely);
}

async function distribute(trx: Kysely<Tables>, shards: number): Promise<void> {
  await sql`
    select create_distributed_table('packed_checks', 'device_no', shard_count => ${shards}::int, colocate_with => 'none')`.execute(
    trx,
  );
}

/**
 * Citus creates the view of such a table again, without its triggers, and drops functions that return its rows. The
 * schema has no such function; the triggers are created again.
 */
async function moveBack(trx: Kysely<Tables>, tables: readonly HistoryTable[]): Promise<void> {
  const triggers = await viewTriggers(trx);
  for (const table of tables) await sql`select undistribute_table(${table}::regclass)`.execute(trx);
  const kept = new Set(await viewTriggers(trx));
  for (const text of triggers) if (!kept.has(text)) await sql.raw(text).execute(trx);
}

/** The statements that make the triggers of the view `checks`. */
async function viewTriggers(trx: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ text: string }>`
    select pg_get_triggerdef(oid) as text from pg_trigger where tgrelid = 'checks'::regclass order by tgname`.execute(
    trx,
  );
  return rows.map(({ text }) => text);
}

/** For copies of whole tables, which may last and wait for the users of the table. */
async function withoutTimeLimits(trx: Kysely<Tables>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '60s', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
}

/** Removes the copied rows from the coordinator's table, where Citus leaves them and nothing reads them. */
async function dropLocalRows(kysely: Kysely<Tables>): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await withoutTimeLimits(trx);
    await sql`select truncate_local_data_after_distributing_table('packed_checks'::regclass)`.execute(trx);
  });
}
