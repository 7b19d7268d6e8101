import type pg from 'pg';
import { z } from 'zod';
import type { FoundTarget, Mark, MoveState } from './states.ts';

const markSchema = z.object({
  state: z.enum(['copying', 'moved', 'unfinished', 'prepared', 'arrived']),
  copyId: z.string(),
  target: z.string(),
});

type Client = Pick<pg.ClientBase, 'query'>;

/** The mark of a database; undefined where it has none, also where its tables are of an earlier version. */
export async function readMark(client: Client): Promise<Mark | undefined> {
  if (!(await hasTable(client, 'database_moves'))) return undefined;
  const { rows } = await client.query('select state, copy_id as "copyId", target from database_moves');
  return rows[0] === undefined ? undefined : markSchema.parse(rows[0]);
}

/** The sealed URL of the database that took the place of this one. */
export async function readSealedTarget(client: Client): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ sealed: Buffer | null }>(
    `select sealed from database_moves where state = 'moved'`,
  );
  return rows[0]?.sealed ?? undefined;
}

/** Writes the mark. */
export async function writeMark(
  client: Client,
  {
    state,
    copyId,
    target,
    sealed = null,
    atUs,
  }: Mark & { readonly sealed?: Buffer | null; readonly atUs: number },
): Promise<void> {
  await client.query(
    `insert into database_moves (state, copy_id, target, sealed, at_us) values ($1, $2, $3, $4, $5)
     on conflict (single) do update set state = excluded.state, copy_id = excluded.copy_id, target = excluded.target,
       sealed = excluded.sealed, at_us = excluded.at_us`,
    [state, copyId, target, sealed, atUs],
  );
}

/** Moves the mark of a copy from one state to another; nothing happens to the mark of another copy. */
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

/** Takes the mark of a source away whose copy does not go on. */
export async function removeMark(client: Client, copyId: string): Promise<void> {
  await client.query(`delete from database_moves where copy_id = $1 and state = 'copying'`, [copyId]);
}

/** The state of a database that may become a copy; undefined: it has no tables yet. */
export async function readTarget(client: Client): Promise<FoundTarget | undefined> {
  if (!(await hasTable(client, 'accounts'))) return undefined;
  const { rows } = await client.query<{ used: boolean }>('select exists (select from accounts) as used');
  return { isUsed: rows[0]?.used === true, mark: await readMark(client) };
}

/** The migrations that made the tables, in order; none: there are no tables. */
export async function readMigrationNames(client: Client): Promise<readonly string[]> {
  if (!(await hasTable(client, 'migrations'))) return [];
  const { rows } = await client.query<{ name: string }>('select name from migrations order by name');
  return rows.map(({ name }) => name);
}

async function hasTable(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    name,
  ]);
  return rows[0]?.there === true;
}
