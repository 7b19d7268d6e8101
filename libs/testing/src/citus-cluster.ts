import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '@vantage/kernel';
import { freePort } from './free-port.ts';
import { withClient } from './postgres-url.ts';
import { newServerFolder, runAs } from './server-folder.ts';

/** A Citus cluster on loopback with the role `vantage`; disposing ends it and removes its data. */
export interface CitusCluster extends AsyncDisposable {
  readonly coordinator: string;
  readonly coordinatorPid: number;
  readonly workers: readonly CitusServer[];
  /** Starts one more server and makes it a worker, which has no shards yet. */
  addWorker(): Promise<CitusServer>;
  /** Starts one more server of the same PostgreSQL that knows nothing of Citus. */
  addPlain(): Promise<CitusServer>;
}

/** A server that a test ends and starts again. */
interface CitusServer {
  readonly port: number;
  readonly url: string;
  /** Of the process that is the parent of all its others, while it runs. */
  readonly pid: number;
  start(): void;
  /** Ends it at once, without a checkpoint, as `kill -9` does. */
  kill(): void;
}

/** How many workers it has, where its data are, and settings of postgresql.conf for all servers. */
interface CitusOptions {
  readonly workers?: number;
  readonly dataIn?: string;
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** The folder with the build of Citus: VANTAGE_TEST_ENGINES, else `shared/engines` beside the checkout. */
const engines =
  process.env['VANTAGE_TEST_ENGINES'] ?? path.resolve(import.meta.dirname, '../../../../shared/engines');
/** The folder with PostgreSQL 15's `lib/postgresql/15` and `share/postgresql/15`; Debian's unless set. */
const installed = process.env['VANTAGE_TEST_POSTGRESQL_15'] ?? '/usr';

/** Starts a cluster, with two workers unless told otherwise; a text says why this machine has none. */
export async function startCitus(options: CitusOptions = {}): Promise<CitusCluster | string> {
  const { workers: count = 2, dataIn = tmpdir(), settings = {} } = options;
  const archive = existsSync(engines)
    ? readdirSync(engines).find((name) => /^citus-.*-postgresql-15-.*\.tar\.xz$/.test(name))
    : undefined;
  if (archive === undefined)
    return `${engines} has no build of Citus (VANTAGE_TEST_ENGINES names its folder)`;
  if (!existsSync(path.join(installed, 'lib/postgresql/15/bin/initdb')))
    return `${installed} has no PostgreSQL 15 (Debian's package postgresql-15)`;
  const folder = newServerFolder(tmpdir(), 'vantage-citus-');
  const dataFolder = newServerFolder(dataIn, 'vantage-citus-data-');
  const remove = () => {
    for (const each of [folder, dataFolder]) rmSync(each, { recursive: true, force: true });
  };
  try {
    // A copy, so that the build of Citus does not come into the machine's own PostgreSQL.
    for (const part of ['lib', 'share'])
      cpSync(path.join(installed, part, 'postgresql/15'), path.join(folder, 'usr', part, 'postgresql/15'), {
        recursive: true,
      });
    execFileSync('tar', ['-C', folder, '-xJf', path.join(engines, archive)]);
    const servers: CitusServer[] = [];
    const create = async (name: string, more: CitusOptions['settings']) => {
      const data = path.join(dataFolder, name);
      const server = await createServer(folder, data, { ...more, ...settings });
      servers.push(server);
      return server;
    };
    const coordinator = await create('coordinator', ofCitus);
    await open(coordinator);
    await withClient(coordinator.url, (client) =>
      client.query(`select citus_set_coordinator_host('127.0.0.1', $1::int)`, [coordinator.port]),
    );
    const addWorker = async () => {
      const worker = await create(`worker-${servers.length}`, ofCitus);
      await join(coordinator, worker);
      return worker;
    };
    const workers: CitusServer[] = [];
    while (workers.length < count) workers.push(await addWorker());
    return {
      coordinator: coordinator.url,
      coordinatorPid: coordinator.pid,
      workers,
      addWorker,
      async addPlain() {
        const server = await create('plain', {});
        server.start();
        return server;
      },
      async [Symbol.asyncDispose]() {
        for (const server of servers) server.kill();
        remove();
      },
    };
  } catch (error) {
    remove();
    return `this PostgreSQL 15 does not run the build of Citus: ${messageOf(error)}`;
  }
}

/** Starts a server whose database has the extension. */
async function open(server: CitusServer): Promise<void> {
  server.start();
  await withClient(server.url, (client) => client.query('create extension citus'));
}

/** Starts a server and makes it a worker. */
async function join(coordinator: CitusServer, worker: CitusServer): Promise<void> {
  await open(worker);
  await withClient(coordinator.url, (client) =>
    client.query(`select citus_add_node('127.0.0.1', $1::int)`, [worker.port]),
  );
}

/** The settings that Citus needs. */
const ofCitus = {
  shared_preload_libraries: 'citus',
  'citus.local_hostname': '127.0.0.1',
  max_prepared_transactions: 100,
};

async function createServer(
  folder: string,
  data: string,
  more: CitusOptions['settings'],
): Promise<CitusServer> {
  const port = await freePort();
  const run = (program: string, ...args: string[]) =>
    execFileSync(path.join(folder, 'usr/lib/postgresql/15/bin', program), args, {
      ...runAs(),
      cwd: '/',
      // Its libpq looks for certificates at home, and this machine may lack the locale of whoever runs the tests.
      env: { ...process.env, HOME: folder, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  // The servers begin as copies of one that never ran, because a copy costs less than a new one.
  const first = path.join(path.dirname(data), 'new');
  if (!existsSync(first))
    run('initdb', '-D', first, '-U', 'vantage', '--auth=trust', '-E', 'UTF8', '--no-sync');
  execFileSync('cp', ['-R', first, data], { ...runAs(), cwd: '/' });
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    wal_level: 'logical',
    // Its data end with the test, and the end of a process loses none of the kernel's pages.
    fsync: 'off',
    full_page_writes: 'off',
    jit: 'off',
    ...more,
  };
  const options = Object.entries(settings).map(([key, value]) => `-c ${key}=${value === '' ? "''" : value}`);
  return {
    port,
    url: `postgres://vantage@127.0.0.1:${port}/postgres`,
    get pid() {
      return Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    },
    start: () =>
      void run('pg_ctl', '-D', data, '-l', path.join(data, 'log'), '-o', options.join(' '), '-w', 'start'),
    kill() {
      if (existsSync(path.join(data, 'postmaster.pid')))
        run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
    },
  };
}
