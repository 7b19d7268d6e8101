import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { timeColumns, toleratedAheadUs } from './time-columns.ts';

/** The statement that clamps a column, if its rule has one. */
function clampOf(table: string, column: string, nowUs: number) {
  const rule = timeColumns[table]?.[column];
  if (rule?.kind !== 'due' && rule?.kind !== 'past') return undefined;
  const latestUs = nowUs + (rule.kind === 'due' ? rule.maxAheadUs : 0) + toleratedAheadUs;
  const where = rule.where === undefined ? sql`` : sql`and ${sql.raw(rule.where)}`;
  return sql`update ${sql.table(table)} set ${sql.ref(column)} = ${nowUs}::bigint
    where ${sql.ref(column)} > ${latestUs}::bigint ${where}`;
}

/**
 * Clamps all stored times that are further ahead than they can be: they are now, because the clock was ahead when they
 * were stored. `nowUs` is the shared time. Returns the changed columns. A column that fails keeps no other one waiting.
 */
export async function clampStoredTimes(kysely: Kysely<Tables>, nowUs: number): Promise<readonly string[]> {
  const changed: string[] = [];
  const failed: unknown[] = [];
  for (const [table, columns] of Object.entries(timeColumns))
    for (const column of Object.keys(columns)) {
      try {
        const { numAffectedRows = 0n } = (await clampOf(table, column, nowUs)?.execute(kysely)) ?? {};
        if (numAffectedRows > 0n) changed.push(`${table}.${column}`);
      } catch (error) {
        failed.push(error);
      }
    }
  if (failed.length > 0) throw failed[0];
  return changed;
}
