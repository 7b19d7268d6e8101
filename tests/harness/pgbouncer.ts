// PgBouncer of the system in front of a PostgreSQL server.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '@vantage/testing/free-port';
import { withClient } from '@vantage/testing/postgres-url';
import { runAs } from '@vantage/testing/server-folder';
import { type DatabaseServer, hasPrograms } from './database-servers.ts';

const program = '/usr/sbin/pgbouncer';

/** Whether this machine has PgBouncer and a PostgreSQL for it (Debian's packages pgbouncer and postgresql-15). */
export const hasPgBouncer = hasPrograms && existsSync(program);

/** A running PgBouncer. Disposing ends it. */
export interface PgBouncer extends AsyncDisposable {
  /** The database of the server through it. */
  readonly url: string;
}

/** Starts a PgBouncer with these settings of its file, and waits until it answers. */
export async function startPgBouncer(
  server: DatabaseServer,
  settings: Readonly<Record<string, string>>,
): Promise<PgBouncer> {
  const port = await freePort();
  const file = path.join(server.folder, `pgbouncer-${port}.ini`);
  const given = { auth_type: 'any', listen_addr: '127.0.0.1', listen_port: String(port), ...settings };
  const lines = Object.entries(given).map(([name, value]) => `${name} = ${value}`);
  // No user of the server is named, so everybody becomes the owner of the database.
  const database = `postgres = host=${server.folder} user=vantage`;
  writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
  const child = spawn(program, [file], { ...runAs(), cwd: server.folder, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `postgres://vantage@127.0.0.1:${port}/postgres`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PgBouncer does not start with ${file}`);
    const answer = await withClient(url, (client) => client.query('select 1')).catch(() => undefined);
    if (answer !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
