import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { copyDatabase, dropDatabase, inDatabase, withClient } from '@vantage/testing/postgres-url';
import type pg from 'pg';
import { inject } from 'vitest';
import { z } from 'zod';
import { type Files, filesSchema, unpackText, writeFolder } from './archive.ts';
import { fixtures } from './programs.ts';
import { type Dump, dumpSchema } from './rows.ts';
import { shiftChecked, shiftFor, shiftSegment, shiftText } from './shift.ts';
import { type Truth, truthSchema } from './truth.ts';

const recording = z.object({
  atUs: z.number(),
  stoppedUs: z.number(),
  key: z.string(),
  token: z.string(),
  wire: z.tuple([z.string(), z.string()]),
  truth: z.unknown(),
  rows: z.unknown(),
  files: filesSchema,
});
const moved = z.object({ truth: truthSchema, rows: dumpSchema });

/** The restored database and folders of the earlier version. Disposing removes both. */
export interface Restored extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** An API key (UW) of the account. */
  readonly key: string;
  /** The token of the agent whose folder is `agent` in the data folder. */
  readonly token: string;
  /** Tokens of two agents of the Location `wire` that never connected. */
  readonly wire: readonly [string, string];
  /** The end of the time that the answers in `truth` cover. */
  readonly stoppedUs: number;
  /** The recorded answers of the REST API. */
  readonly truth: Truth;
  readonly rows: Dump;
  /** The same once more, while no program uses this one. It costs a tenth of a restore. */
  copy(): Promise<Restored>;
}

/**
 * Restores the recording as if it had been made within the last day. It moves every recorded time by whole days. The
 * migrations of the earlier version (`migrations`, a folder) make the tables.
 */
export async function restore(migrations: string): Promise<Restored> {
  const { atUs, truth, rows, files, ...rest } = recording.parse(
    JSON.parse(unpackText(path.join(fixtures, 'data.json.br'))),
  );
  const byUs = shiftFor(atUs, Date.now() * 1000);
  const fresh = moved.parse(JSON.parse(shiftText(JSON.stringify({ truth, rows }), byUs)));
  const { server, name, ...place } = newPlace();
  writeFolder(place.dataDir, shiftFiles(files, byUs));
  await withClient(server, (client) => client.query(`create database ${name}`));
  await withClient(place.databaseUrl, (client) => load(client, migrations, fresh.rows));
  const restored = { ...rest, ...fresh, ...place, stoppedUs: rest.stoppedUs + byUs };
  const copy = async (): Promise<Restored> => {
    const { name: other, ...there } = newPlace();
    cpSync(place.dataDir, there.dataDir, { recursive: true });
    await copyDatabase(server, name, other);
    return { ...restored, ...there, copy };
  };
  return { ...restored, copy };
}

/** A data folder, and a name for a database that does not exist yet. */
function newPlace() {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'vantage-restored-'));
  const server = inject('databaseUrl');
  const name = `vantage_compat_${randomBytes(6).toString('hex')}`;
  return {
    server,
    name,
    dataDir,
    databaseUrl: inDatabase(server, name),
    async [Symbol.asyncDispose]() {
      await dropDatabase(server, name);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function shiftFiles(files: Files, byUs: number): Files {
  return Object.fromEntries(
    Object.entries(files).map(([file, content]) => {
      const bytes = Buffer.from(content, 'base64');
      if (file.endsWith('.seg')) return [file, shiftSegment(bytes, byUs).toString('base64')];
      if (/chains\.bin(\.old)?$/.test(file)) return [file, shiftChecked(bytes, byUs).toString('base64')];
      return [file, content];
    }),
  );
}

/** Creates the tables and fills them. */
async function load(client: pg.Client, migrations: string, rows: Dump): Promise<void> {
  for (const file of readdirSync(migrations).sort())
    await client.query(readFileSync(path.join(migrations, file), 'utf8'));
  // MikroORM's list of the migrations that it ran.
  await client.query(
    `create table migrations (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp)`,
  );
  await makePartitions(client, rows['check_rows'] ?? []);
  // Rows refer to rows of other tables, and accounts and schedules refer to each other, so the references are made
  // after the rows.
  const { rows: references } = await client.query<{ within: string; name: string; text: string }>(
    `select conrelid::regclass::text as within, quote_ident(conname) as name, pg_get_constraintdef(oid) as text
     from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`,
  );
  for (const { within, name } of references)
    await client.query(`alter table ${within} drop constraint ${name}`);
  for (const [table, all] of Object.entries(rows)) {
    const columns = await writtenColumns(client, table);
    // The rows that triggers would write are in the recording.
    await client.query(`alter table "${table}" disable trigger user`);
    await client.query(
      `insert into "${table}" (${columns}) overriding system value
       select ${columns} from jsonb_populate_recordset(null::"${table}", $1::jsonb)`,
      [JSON.stringify(all)],
    );
    await client.query(`alter table "${table}" enable trigger user`);
  }
  for (const { within, name, text } of references)
    await client.query(`alter table ${within} add constraint ${name} ${text}`);
  await client.query(nextNumbers);
  await client.query(stillGood);
}

/** The columns of a table, separated by commas, but for those that PostgreSQL computes. */
async function writtenColumns(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0]?.columns ?? '';
}

/**
 * Tokens that were not used enrol for another hour. The times in certificates cannot be moved, so the controller issues
 * new ones instead of repeating those that it stored.
 */
const stillGood = `
  update agents set token_expires_us = (extract(epoch from now()) * 1000000)::bigint + 3600000000 where token_used_us is null;
  update agents set certificate = null, certificate_end_us = null`;

/** Creates the daily partitions of `check_rows` that these rows need. */
async function makePartitions(client: pg.Client, checks: Dump[string]): Promise<void> {
  const dayUs = 86_400_000_000;
  const days = new Set(checks.map((check) => Math.floor(z.number().parse(check['start_us']) / dayUs)));
  for (const day of days) {
    const name = `checks_${new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await client.query(
      `create table ${name} partition of check_rows for values from (${day * dayUs}) to (${(day + 1) * dayUs})`,
    );
  }
}

/** Sets every sequence behind a column to the greatest number in it. */
const nextNumbers = `
  do $$
  declare one record;
  begin
    for one in
      select c.oid::regclass as tab, a.attname as col, pg_get_serial_sequence(c.oid::regclass::text, a.attname) as seq
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
        and pg_get_serial_sequence(c.oid::regclass::text, a.attname) is not null
    loop
      execute format('select setval(%L, coalesce((select max(%I) from %s), 1))', one.seq, one.col, one.tab);
    end loop;
  end $$`;
