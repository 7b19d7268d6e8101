// PostgreSQL servers of the system for scenes that need replicas and restores: a primary, a streaming replica, a
// promotion.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { folderForData } from '@vantage/testing/memory-folder';
import { withClient } from '@vantage/testing/postgres-url';
import { newServerFolder, runAs } from '@vantage/testing/server-folder';

const programs = '/usr/lib/postgresql/15/bin';

/** Whether this machine has the server's programs (Debian's package postgresql-15). */
export const hasPrograms = existsSync(path.join(programs, 'pg_basebackup'));

/** A running server. */
export interface DatabaseServer {
  /** The folder with its socket and its data. */
  readonly folder: string;
  readonly superuserUrl: string;
  /** Ends it as a power cut would, where it still runs, and starts it again on the same data. */
  restart(): Promise<void>;
  /** Ends it as a power cut would, and removes its data. */
  kill(): Promise<void>;
}

function run(program: string, args: readonly string[]): void {
  // Whoever runs the tests may have a locale that this machine lacks.
  const env = { ...process.env, LC_ALL: 'C' };
  execFileSync(path.join(programs, program), args, { ...runAs(), cwd: '/', env, stdio: 'pipe' });
}

function urlIn(folder: string, role: string): string {
  return `postgres://${role}@/postgres?host=${encodeURIComponent(folder)}`;
}

async function start(
  folder: string,
  hotStandby: 'on' | 'off' = 'on',
  settings: Readonly<Record<string, string>> = {},
): Promise<DatabaseServer> {
  const options = {
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '60',
    shared_buffers: '64MB',
    hot_standby: hotStandby,
    wal_keep_size: '256MB',
    ...settings,
  };
  const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const superuserUrl = urlIn(folder, 'admin');
  let running = launch(folder, args);
  if (hotStandby === 'on') await untilUp(folder, running.child);
  const crash = async () => {
    running.child.kill('SIGQUIT');
    await running.ended;
  };
  return {
    folder,
    superuserUrl,
    async restart() {
      await crash();
      running = launch(folder, args);
      await untilUp(folder, running.child);
    },
    async kill() {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function launch(folder: string, args: readonly string[]) {
  const child = spawn(path.join(programs, 'postgres'), ['-D', path.join(folder, 'data'), ...args], {
    ...runAs(),
    cwd: '/',
    stdio: 'ignore',
  });
  return { child, ended: new Promise<void>((resolve) => child.once('exit', () => resolve())) };
}

/** Waits until the server answers. */
async function untilUp(folder: string, child: ChildProcess): Promise<void> {
  for (let left = 300; ; left -= 1) {
    const isUp = await withClient(urlIn(folder, 'admin'), (client) => client.query('select 1')).then(
      () => true,
      () => false,
    );
    if (isUp) break;
    if (left === 0 || child.exitCode !== null) throw new Error(`PostgreSQL in ${folder} does not start`);
    await delay(100);
  }
}

/**
 * Starts a server with an ordinary role `vantage` that owns the database; its data is in a new folder within `place`.
 * `settings` are those of its postgresql.conf.
 */
export async function startPrimary(
  place = folderForData(),
  settings?: Readonly<Record<string, string>>,
): Promise<DatabaseServer> {
  const folder = newServerFolder(place, 'vantage-server-');
  run('initdb', ['-D', path.join(folder, 'data'), '-U', 'admin', '--auth=trust', '--encoding=UTF8', '-N']);
  const server = await start(folder, 'on', settings);
  await withClient(server.superuserUrl, async (client) => {
    await client.query('create role vantage login');
    await client.query('alter database postgres owner to vantage');
    await client.query('alter schema public owner to vantage');
  });
  return server;
}

/** Copies a running server and starts the copy as a replica that streams. */
export function startReplica(of: DatabaseServer): Promise<DatabaseServer> {
  return start(copyOf(of));
}

/** The same, but the copy refuses connections, as a server does that recovers from a crash, until `endRecovery`. */
export function startRecovering(of: DatabaseServer): Promise<DatabaseServer> {
  return start(copyOf(of), 'off');
}

/** Ends the recovery: the server answers, and is a primary. */
export function endRecovery({ folder }: DatabaseServer): void {
  run('pg_ctl', ['promote', '-D', path.join(folder, 'data')]);
}

function copyOf(of: DatabaseServer): string {
  const folder = newServerFolder(folderForData(), 'vantage-server-');
  const way = ['-h', of.folder, '-U', 'admin', '-c', 'fast', '-R'];
  run('pg_basebackup', ['-D', path.join(folder, 'data'), ...way]);
  return folder;
}

/** From here on the replica receives nothing more, so it stays behind. */
export async function cutReplica(replica: DatabaseServer): Promise<void> {
  await withClient(replica.superuserUrl, async (client) => {
    await client.query(`alter system set primary_conninfo = ''`);
    await client.query('select pg_reload_conf()');
    for (;;) {
      const { rows } = await client.query('select 1 from pg_stat_wal_receiver');
      if (rows.length === 0) return;
      await delay(20);
    }
  });
}

/** Promotes the replica to primary. */
export async function promote(replica: DatabaseServer): Promise<void> {
  await withClient(replica.superuserUrl, (client) => client.query('select pg_promote(true, 60)'));
}

/** A name for the primary that moves: a proxy on loopback in front of the present server. */
export interface DatabaseSwitch extends AsyncDisposable {
  readonly url: string;
  /** Cuts all connections; new ones go to this server. Undefined: they are refused. */
  to(server: DatabaseServer | undefined): void;
  /** From here on no byte passes, and no connection ends, until the next `to`. */
  stall(): void;
}

/** Starts the proxy. */
export async function startSwitch(first: DatabaseServer): Promise<DatabaseSwitch> {
  let present: DatabaseServer | undefined = first;
  let isStalled = false;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (isStalled) {
      open.add(client.on('error', () => client.destroy()));
      return;
    }
    if (present === undefined) return void client.destroy();
    const upstream = connect(path.join(present.folder, '.s.PGSQL.5432'));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `postgres://vantage@127.0.0.1:${address.port}/postgres`,
    to(next) {
      present = next;
      isStalled = false;
      for (const socket of open) socket.destroy();
    },
    stall() {
      isStalled = true;
      for (const socket of open) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
