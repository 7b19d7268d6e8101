import type pg from 'pg';
import { z } from 'zod';
import type { CopyTarget, DatabaseMove, MoveState } from './decide-copy.ts';

const moveSchema = z.object({
  state: z.enum(['copying', 'moved', 'unfinished', 'prepared', 'arrived']),
  copyId: z.string(),
  target: z.string(),
});

type Client = Pick<pg.ClientBase, 'query'>;

/** The move of a database; undefined: there is none, or its tables are of an earlier version. */
export async function readMove(client: Client): Promise<DatabaseMove | undefined> {
  if (!(await hasTable(client, 'database_moves'))) return undefined;
  const { rows } = await client.query('select state, copy_id as "copyId", target from database_moves');
  return rows[0] === undefined ? undefined : moveSchema.parse(rows[0]);
}

/** The sealed URL of the database that replaced this one. */
export async function readSealedTarget(client: Client): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ sealed: Buffer | null }>(
    `select sealed from database_moves where state = 'moved'`,
  );
  return rows[0]?.sealed ?? undefined;
}

export async function writeMove(
  client: Client,
  {
    state,
    copyId,
    target,
    sealed = null,
    atUs,
  }: DatabaseMove & { readonly sealed?: Buffer | null; readonly atUs: number },
): Promise<void> {
  await client.query(
    `insert into database_moves (state, copy_id, target, sealed, at_us) values ($1, $2, $3, $4, $5)
     on conflict (single) do update set state = excluded.state, copy_id = excluded.copy_id, target = excluded.target,
       sealed = excluded.sealed, at_us = excluded.at_us`,
    [state, copyId, target, sealed, atUs],
  );
}

/** Changes the state of a move. Has no effect on the move of another copy. */
export async function changeState(
  client: Client,
  copyId: string,
  from: MoveState,
  to: MoveState,
): Promise<void> {
  await client.query('update database_moves set state = $3 where copy_id = $1 and state = $2', [
    copyId,
    from,
    to,
  ]);
}

/** Removes the move of a source whose copy was abandoned. */
export async function removeMove(client: Client, copyId: string): Promise<void> {
  await client.query(`delete from database_moves where copy_id = $1 and state = 'copying'`, [copyId]);
}

/** The state of a database that may become a copy; undefined: it has no tables yet. */
export async function readTarget(client: Client): Promise<CopyTarget | undefined> {
  if (!(await hasTable(client, 'accounts'))) return undefined;
  const { rows } = await client.query<{ used: boolean }>('select exists (select from accounts) as used');
  return { isUsed: rows[0]?.used === true, move: await readMove(client) };
}

/** The migrations that created the tables, in order; empty: there are no tables. */
export async function readMigrationNames(client: Client): Promise<readonly string[]> {
  if (!(await hasTable(client, 'migrations'))) return [];
  const { rows } = await client.query<{ name: string }>('select name from migrations order by name');
  return rows.map(({ name }) => name);
}

async function hasTable(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
    name,
  ]);
  return rows[0]?.exists === true;
}
