import { setTimeout as delay } from 'node:timers/promises';
import { stateOf } from '@vantage/storage/pg-error';
import type pg from 'pg';
import { columnList, quoted } from '../sql/quoted-names.ts';
import type { CopiedTable } from './copied-tables.ts';

const prefix = 'copy_note_';
const events = [
  { name: 'insert', referencing: 'new table as new_rows' },
  { name: 'update', referencing: 'old table as old_rows new table as new_rows' },
  { name: 'delete', referencing: 'old table as old_rows' },
] as const;
/** Limits how long a trigger waits for the writers of its table, and how long they wait for it. */
const lockTimeout = '2s';
const tries = 30;

/**
 * Records each change of these tables in `copy_changes` from now on. When it resolves, all transactions that changed a
 * table earlier have ended.
 */
export async function beginCapture(client: pg.Client, tables: readonly CopiedTable[]): Promise<void> {
  await client.query('delete from copy_changes');
  for (const { name, key } of tables) {
    const columns = columnList(key.map((column) => column.name)).replaceAll("'", "''");
    const triggers = events.map(
      (event) => `create or replace trigger ${prefix}${event.name} after ${event.name} on ${quoted(name)}
        referencing ${event.referencing} for each statement execute function note_copy_change('${columns}')`,
    );
    await retryOnLockTimeout(client, triggers.join(';'));
  }
}

/** Removes the triggers and the recorded changes. */
export async function endCapture(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ drops: string }>(
    `select string_agg(format('drop trigger if exists %I on %s', tgname, tgrelid::regclass), ';') as drops
     from pg_trigger where tgname like '${prefix.replaceAll('_', '\\_')}%' and not tgisinternal group by tgrelid`,
  );
  for (const { drops } of rows) await retryOnLockTimeout(client, drops);
  await client.query('delete from copy_changes');
}

/** Repeats statements that did not get their lock in time, so that no writer waits long behind the lock request. */
async function retryOnLockTimeout(client: Pick<pg.ClientBase, 'query'>, text: string): Promise<void> {
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
