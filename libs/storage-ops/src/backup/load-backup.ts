import { dayUs } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { refuseDistributed } from '@vantage/storage/distribute/history-tables';
import { openTextSession } from '@vantage/storage/text-session';
import type pg from 'pg';
import { z } from 'zod';
import { copyTextIn, countRows } from '../sql/copy-text.ts';
import { columnList, quoted } from '../sql/quoted-names.ts';
import { readFrames } from './backup-frames.ts';
import { type BackupHead, type BackupSize, tableSchema } from './backup-head.ts';
import type { BackupKey } from './encryption.ts';

const done = z.object({ rows: z.int() });

/**
 * Loads a backup into a database with the tables of the backup, in one transaction, so that a kill leaves the database
 * unchanged. Throws a Fault when the database is in use.
 */
export async function loadBackup(deps: {
  readonly url: string;
  readonly file: string;
  /** Opens an encrypted backup. */
  readonly key?: BackupKey | undefined;
  readonly head: BackupHead;
  /** Receives the number of rows so far. */
  readonly onRows: (rows: number) => void;
}): Promise<BackupSize> {
  const client = await openTextSession(deps.url, deps.head.texts);
  try {
    await refuseDistributed(client, 'nothing is restored here');
    await client.query('begin');
    await client.query('lock table accounts in access exclusive mode');
    const { rowCount } = await client.query('select from accounts limit 1');
    if ((rowCount ?? 0) > 0)
      throw new Fault(
        'drop',
        'not_empty',
        'the database is in use: a backup can only be restored into an empty database',
      );
    await client.query(`truncate ${(await tableNames(client)).map(quoted).join(', ')}`);
    const references = await dropReferences(client);
    for (const name of deps.head.partitions) await addPartition(client, name);
    const size = await loadTables(client, deps);
    for (const text of references) await client.query(text);
    for (const [name, last] of Object.entries(deps.head.sequences))
      await client.query('select setval($1::regclass, $2)', [quoted(name), last]);
    await client.query('commit');
    await client.query('analyze');
    return size;
  } finally {
    await client.end();
  }
}

async function loadTables(
  client: pg.Client,
  { file, key, onRows }: Parameters<typeof loadBackup>[0],
): Promise<BackupSize> {
  const size = { tables: 0, rows: 0 };
  let into = '';
  let name = '';
  let rows = 0;
  for await (const { kind, content } of readFrames(file, key)) {
    if (kind === 'table') {
      const table = tableSchema.parse(JSON.parse(content.toString('utf8')));
      ({ name } = table);
      into = `copy ${quoted(name)} (${columnList(table.columns)}) from stdin`;
      rows = 0;
      // A trigger would send a notification for each row, and overwrite columns of the backup.
      await client.query(`alter table ${quoted(name)} disable trigger user`);
    } else if (kind === 'rows') {
      await copyTextIn(client, into, content).catch((cause: unknown) => {
        const why = `the table ${name} cannot be restored: ${messageOf(cause)}`;
        throw new Fault('drop', 'restore_failed', why, { cause });
      });
      rows += countRows(content);
      onRows(size.rows + rows);
    } else if (kind === 'done') {
      await client.query(`alter table ${quoted(name)} enable trigger user`);
      const { rows: counted } = await client.query<{ n: string }>(
        `select count(*) as n from ${quoted(name)}`,
      );
      const expected = done.parse(JSON.parse(content.toString('utf8'))).rows;
      if (expected !== rows || Number(counted[0]?.n) !== expected)
        throw new Fault(
          'drop',
          'restore_failed',
          `the table ${name} has ${counted[0]?.n} rows instead of ${expected}`,
        );
      size.tables += 1;
      size.rows += rows;
    }
  }
  return size;
}

async function tableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname <> 'migrations'`,
  );
  return rows.map(({ name }) => name);
}

/** Drops the references, because tables refer to each other in cycles. Returns the statements that restore them. */
async function dropReferences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ within: string; name: string; text: string }>(
    `select conrelid::regclass::text as within, quote_ident(conname) as name, pg_get_constraintdef(oid) as text
     from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`,
  );
  for (const { within, name } of rows) await client.query(`alter table ${within} drop constraint ${name}`);
  return rows.map(({ within, name, text }) => `alter table ${within} add constraint ${name} ${text}`);
}

async function addPartition(client: pg.Client, name: string): Promise<void> {
  const day = name.slice(-8).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  const fromUs = Date.parse(day) * 1000;
  await client.query(
    `create table if not exists ${quoted(name)} partition of check_rows for values from (${fromUs}) to (${fromUs + dayUs})`,
  );
}
