import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { columnList, quoted } from '../backup/snapshot.ts';
import { stateOf } from '../pg-error.ts';
import type { CopiedTable } from './tables.ts';

const prefix = 'copy_note_';
const events = [
  { name: 'insert', referencing: 'new table as new_rows' },
  { name: 'update', referencing: 'old table as old_rows new table as new_rows' },
  { name: 'delete', referencing: 'old table as old_rows' },
] as const;
/** A trigger waits for the writers of its table, and they for it, no longer than this. */
const lockTimeout = '2s';
const tries = 30;

/**
 * From here on each change of these tables is noted in `copy_changes`. Transactions that changed a table before have
 * ended when this resolves.
 */
export async function beginCapture(client: pg.Client, tables: readonly CopiedTable[]): Promise<void> {
  await client.query('delete from copy_changes');
  for (const { name, key } of tables) {
    const columns = columnList(key.map((column) => column.name)).replaceAll("'", "''");
    const triggers = events.map(
      (event) => `create or replace trigger ${prefix}${event.name} after ${event.name} on ${quoted(name)}
        referencing ${event.referencing} for each statement execute function note_copy_change('${columns}')`,
    );
    await patiently(client, triggers.join(';'));
  }
}

/** Takes the triggers and what they noted away. */
export async function endCapture(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ drops: string }>(
    `select string_agg(format('drop trigger if exists %I on %s', tgname, tgrelid::regclass), ';') as drops
     from pg_trigger where tgname like '${prefix.replaceAll('_', '\\_')}%' and not tgisinternal group by tgrelid`,
  );
  for (const { drops } of rows) await patiently(client, drops);
  await client.query('delete from copy_changes');
}

/** Repeats statements that did not get their lock in time, so that no writer waits behind it for long. */
async function patiently(client: Pick<pg.ClientBase, 'query'>, text: string): Promise<void> {
  for (let left = tries; ; left -= 1)
    try {
      await client.query(`begin; set local lock_timeout = '${lockTimeout}'; ${text}; commit`);
      return;
    } catch (error) {
      await client.query('rollback');
      if (left === 0 || !['55P03', '40P01'].includes(stateOf(error))) throw error;
      await delay(200);
    }
}
