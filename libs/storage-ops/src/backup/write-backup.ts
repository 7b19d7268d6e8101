import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Fault, isDiskRefusal, messageOf, syncFolder } from '@vantage/kernel';
import { refuseDistributed } from '@vantage/storage/distribute/history-tables';
import { openTextSession } from '@vantage/storage/text-session';
import type pg from 'pg';
import type { z } from 'zod';
import { copyOut, countRows } from '../sql/copy-text.ts';
import { columnList, quoted } from '../sql/quoted-names.ts';
import { type BackupFrame, encodeFrames } from './backup-frames.ts';
import { type BackupHead, type BackupSize, type tableSchema, tablesOfOneDatabase } from './backup-head.ts';
import { type BackupLock, encrypted } from './encryption.ts';
import { partFile, removeDeadParts } from './part-file.ts';

/**
 * Writes a backup of a database in use, with all rows of one snapshot. The file exists only when it is complete and on
 * the disk; then the time of the backup is stored in the database. Throws a Fault when the disk rejects the file.
 */
export async function writeBackup(deps: {
  readonly url: string;
  readonly file: string;
  readonly atUs: number;
  readonly files: Readonly<Record<string, Buffer>>;
  /** Encrypts the file; undefined: it is not encrypted. */
  readonly lock?: BackupLock | undefined;
  /** Receives the number of rows so far. */
  readonly onRows: (rows: number) => void;
}): Promise<BackupSize> {
  const { file } = deps;
  const part = partFile(file);
  await removeDeadParts(file);
  const client = await openTextSession(deps.url);
  const size = { tables: 0, rows: 0 };
  try {
    await refuseDistributed(client, 'no backup is written');
    await client.query('begin isolation level repeatable read read only');
    await client
      .query('set local idle_in_transaction_session_timeout = 0; set local transaction_timeout = 0')
      .catch(async () => {
        // `transaction_timeout` exists since version 17.
        await client.query('rollback');
        await client.query('begin isolation level repeatable read read only');
        await client.query('set local idle_in_transaction_session_timeout = 0');
      });
    // Before the snapshot is taken, because a partition that was rewritten after it would seem empty.
    await client.query('lock table check_rows in access share mode');
    const bytes = encodeFrames(framesOf(client, deps, size));
    const sink = createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true });
    const lock = (plain: AsyncIterable<Buffer>) => (deps.lock ? encrypted(plain, deps.lock) : plain);
    await pipeline(Readable.from(bytes, { objectMode: false }), createGzip({ level: 1 }), lock, sink);
    await rename(part, file);
    await syncFolder(path.dirname(file));
    await client.query('rollback');
    await client.query(
      'insert into last_backup (at_us) values ($1) on conflict (single) do update set at_us = excluded.at_us',
      [deps.atUs],
    );
    return size;
  } catch (cause) {
    await rm(part, { force: true }).catch(() => undefined);
    if (!isDiskRefusal(cause)) throw cause;
    throw new Fault('drop', 'backup_unwritable', `${file} cannot be written: ${messageOf(cause)}`, { cause });
  } finally {
    await client.end();
  }
}

async function* framesOf(
  client: pg.Client,
  { atUs, files, onRows }: Parameters<typeof writeBackup>[0],
  size: { tables: number; rows: number },
): AsyncGenerator<BackupFrame> {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const head: BackupHead = {
    atUs,
    migrations: await namesOf(client, 'select name from migrations order by name'),
    partitions: await namesOf(client, partitionsText),
    sequences: await sequencesOf(client),
    texts: 'same',
    files: Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, bytes.toString('base64')])),
  };
  yield { kind: 'head', content: json(head) };
  for (const table of await tablesOf(client)) {
    yield { kind: 'table', content: json(table) };
    let rows = 0;
    for await (const content of copyOut(
      client,
      `copy (select ${columnList(table.columns)} from ${quoted(table.name)}) to stdout`,
    )) {
      rows += countRows(content);
      onRows(size.rows + rows);
      yield { kind: 'rows', content };
    }
    yield { kind: 'done', content: json({ rows }) };
    size.tables += 1;
    size.rows += rows;
  }
}

const partitionsText = `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'check_rows'::regclass order by 1`;

async function namesOf(client: pg.Client, text: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(text);
  return rows.map(({ name }) => name);
}

async function sequencesOf(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `select sequencename as name, last_value::text as last from pg_sequences
     where schemaname = 'public' and last_value is not null and sequencename not like 'migrations%'`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** The tables with their columns, without generated columns. The rows of partitions belong to their table. */
async function tablesOf(client: pg.Client): Promise<z.output<typeof tableSchema>[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all ($1)
     group by c.relname order by c.relname`,
    [tablesOfOneDatabase],
  );
  return rows;
}
