import { createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Fault, isDiskRefusal, messageOf, syncFolder } from '@vantage/kernel';
import pg from 'pg';
import { z } from 'zod';
import { refuseDistributed } from '../distribute/history-tables.ts';
import { openTextSession } from '../text-session.ts';
import { copyOut } from './copy-text.ts';
import { encrypted, type Lock } from './encryption.ts';
import { encodeFrames, type Frame } from './frames.ts';

/** The first frame of a backup. */
export const headSchema = z.object({
  /** When the snapshot was taken, microseconds since 1970. */
  atUs: z.number(),
  /** Those that made the tables. */
  migrations: z.array(z.string()),
  /** Days with a partition of `check_rows`: `checks_YYYYMMDD`. */
  partitions: z.array(z.string().regex(/^checks_\d{8}$/)),
  /** The last number of each sequence that gave one. */
  sequences: z.record(z.string(), z.string()),
  /** The settings under which the rows were written (`openTextSession`). Early backups have those of their server. */
  texts: z.enum(['same', 'server']).default('server'),
  /** Files of the controller by name, base64. */
  files: z.record(z.string(), z.string()),
});

/** The description of a backup in its first frame. */
export type Head = z.output<typeof headSchema>;

/** The frame at the begin of a table. */
export const tableSchema = z.object({ name: z.string(), columns: z.array(z.string()).min(1) });

/** How much a backup holds. */
export interface BackupSize {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Writes a backup of a database that is in use: all rows as of one moment. The file is there, whole and on the disk,
 * only when this resolves; then the database knows when the backup was made. Throws a Fault when the disk refuses it.
 */
export async function writeBackup(deps: {
  readonly url: string;
  readonly file: string;
  readonly atUs: number;
  readonly files: Readonly<Record<string, Buffer>>;
  /** Encrypts the file; undefined: it is not encrypted. */
  readonly lock?: Lock | undefined;
  /** Receives the number of rows that are done. */
  readonly onRows: (rows: number) => void;
}): Promise<BackupSize> {
  const { file } = deps;
  const part = partFile(file);
  await removeDeadParts(file);
  const client = await openTextSession(deps.url);
  const size = { tables: 0, rows: 0 };
  try {
    await refuseDistributed(client, 'no backup is made');
    await client.query('begin isolation level repeatable read read only');
    await client
      .query('set local idle_in_transaction_session_timeout = 0; set local transaction_timeout = 0')
      .catch(async () => {
        // Before version 17 there is no limit of a transaction.
        await client.query('rollback');
        await client.query('begin isolation level repeatable read read only');
        await client.query('set local idle_in_transaction_session_timeout = 0');
      });
    // Before the moment of the snapshot: a partition that is written anew meanwhile would seem empty.
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
): AsyncGenerator<Frame> {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const head: Head = {
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
      rows += linesIn(content);
      onRows(size.rows + rows);
      yield { kind: 'rows', content };
    }
    yield { kind: 'done', content: json({ rows }) };
    size.tables += 1;
    size.rows += rows;
  }
}

/** Names in an SQL statement. */
export function columnList(columns: readonly string[]): string {
  return columns.map(quoted).join(', ');
}

/** A name in an SQL statement. */
export function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

/** A row of the text format is a line. */
export function linesIn(rows: Buffer): number {
  let count = 0;
  for (let at = rows.indexOf(10); at >= 0; at = rows.indexOf(10, at + 1)) count += 1;
  return count;
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

/** Tables that say something about one database only: no backup and no copy has them. */
export const ofOneDatabase = ['migrations', 'database_moves', 'copy_changes'];

/** Each table with its columns; a partition belongs to its table, a generated column is made again. */
async function tablesOf(client: pg.Client): Promise<z.output<typeof tableSchema>[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all ($1)
     group by c.relname order by c.relname`,
    [ofOneDatabase],
  );
  return rows;
}

/** The name under which this process writes a backup until it is whole. */
export function partFile(file: string): string {
  return `${file}.${process.pid}.part`;
}

/**
 * Removes what killed backups to this file left. A part whose number belongs to a process that runs is kept, because
 * somebody may be writing it. A folder that cannot be read or changed is no fault here: the backup itself says so.
 */
export async function removeDeadParts(file: string): Promise<void> {
  const folder = path.dirname(file);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const pid = pidOfPart(path.basename(file), name);
    if (pid !== undefined && !isRunning(pid))
      await rm(path.join(folder, name), { force: true }).catch(() => {});
  }
}

/** The process whose part of `base` has this name; undefined: it is no part of it. Pure. */
function pidOfPart(base: string, name: string): number | undefined {
  const middle = name.startsWith(`${base}.`) ? name.slice(base.length + 1) : '';
  const digits = /^([1-9]\d{0,9})\.part$/.exec(middle)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
