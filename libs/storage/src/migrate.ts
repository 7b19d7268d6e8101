import { readdir, readFile } from 'node:fs/promises';
import { compareVersions, productVersion } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { withBaseline } from './baseline.ts';
import type { Tables } from './schema/tables.ts';

const folder = new URL('./migrations/', import.meta.url);

/** The names of the migrations of this version, in order: every `NNNN-name.sql` of the folder `migrations`. */
export async function migrationNames(): Promise<readonly string[]> {
  return (await readdir(folder))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => name.slice(0, -'.sql'.length));
}

/** The statements of a migration. */
export function readMigration(name: string): Promise<string> {
  return readFile(new URL(`${name}.sql`, folder), 'utf8');
}

/**
 * Throws a Fault when the schema has migrations that this version does not know, because this version would break the
 * rules of the newer one.
 */
export async function refuseUnknownMigrations(
  kysely: Kysely<Tables>,
  known: readonly string[],
): Promise<void> {
  const newer = (await doneMigrations(kysely)).filter((name) => !known.includes(name));
  if (newer.length === 0) return;
  const { rows } = await sql<{ version: string | null }>`
    select to_jsonb(m) ->> 'version' as version from migrations m where name = any(${newer}::text[])`.execute(
    kysely,
  );
  const [newest] = rows
    .flatMap(({ version }) => version ?? [])
    .toSorted(compareVersions)
    .slice(-1);
  const used = newest === undefined ? 'a newer version of Vantage' : `a newer version of Vantage, ${newest}`;
  throw new Fault(
    'stop',
    'database_newer',
    `the database was used by ${used} (it has ${newer.join(', ')}), and this is version ${productVersion}: start that version, or restore the backup made before the upgrade`,
  );
}

/** Stores this version of the program in the migrations without a version. */
export async function storeVersion(kysely: Kysely<Tables>): Promise<void> {
  await sql`update migrations set version = ${productVersion} where version is null`.execute(kysely);
}

/** Whether the schema lacks a migration of this version. */
export async function isMigrationDue(kysely: Kysely<Tables>, known: readonly string[]): Promise<boolean> {
  const done = new Set(await doneMigrations(kysely));
  return known.some((name) => !done.has(name));
}

async function doneMigrations(kysely: Kysely<Tables>): Promise<readonly string[]> {
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass('migrations') is not null as exists`.execute(kysely);
  if (tables[0]?.exists !== true) return [];
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(kysely);
  return withBaseline(rows.map(({ name }) => name));
}

/** The failure of a migration, for operators: what failed, the state of the database, and what to do. */
export function migrationFault(cause: unknown): Fault {
  const reason = messageOf(cause);
  const help = /No space left on device|disk full/i.test(reason)
    ? 'make room on the disk of the database'
    : 'see the log of the database';
  return new Fault(
    'retry',
    'migration_failed',
    `the schema cannot be migrated: ${reason}. Nothing was changed: the tables are as the previous version left them. To continue, ${help}, and start the controller again`,
    { cause },
  );
}

/** The advisory lock of migrations, "vant" in ASCII. */
const lockKey = 0x7661_6e74;

/**
 * Runs `work` while no other controller migrates the same database. The lock belongs to a connection, so PostgreSQL
 * releases it however the process ends.
 */
export async function withMigrationLock(config: pg.ClientConfig, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...config, statement_timeout: 0, lock_timeout: 0 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await work();
  } finally {
    await client.end();
  }
}
