import { execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '@vantage/kernel';
import { freePort } from './free-port.ts';
import { withClient } from './postgres-url.ts';

/** A Citus cluster on loopback with the database and role `vantage`; disposing ends it and removes its data. */
export interface CitusCluster extends AsyncDisposable {
  readonly coordinator: string;
  readonly workers: readonly CitusWorker[];
  /** Starts one more server and makes it a worker, which has no shards yet. */
  addWorker(): Promise<CitusWorker>;
}

/** A worker that a test ends and starts again. */
interface CitusWorker {
  readonly port: number;
  start(): void;
  /** Ends it at once, without a checkpoint, as `kill -9` does. */
  kill(): void;
}

/** The folder with the build of Citus: VANTAGE_TEST_ENGINES, else `shared/engines` beside the checkout. */
const engines =
  process.env['VANTAGE_TEST_ENGINES'] ?? path.resolve(import.meta.dirname, '../../../shared/engines');
/** The folder with PostgreSQL 15's `lib/postgresql/15` and `share/postgresql/15`; Debian's unless set. */
const installed = process.env['VANTAGE_TEST_POSTGRESQL_15'] ?? '/usr';

/** Starts a cluster of a coordinator and two workers; a text says why this machine has none. */
export async function startCitus(): Promise<CitusCluster | string> {
  const archive = existsSync(engines)
    ? readdirSync(engines).find((name) => /^citus-.*-postgresql-15-.*\.tar\.xz$/.test(name))
    : undefined;
  if (archive === undefined)
    return `${engines} has no build of Citus (VANTAGE_TEST_ENGINES names its folder)`;
  if (!existsSync(path.join(installed, 'lib/postgresql/15/bin/initdb')))
    return `${installed} has no PostgreSQL 15 (Debian's package postgresql-15)`;
  const owner = postgresUser();
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-citus-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
    // A copy, so that the build of Citus does not come into the machine's own PostgreSQL.
    for (const part of ['lib', 'share'])
      cpSync(path.join(installed, part, 'postgresql/15'), path.join(folder, 'usr', part, 'postgresql/15'), {
        recursive: true,
      });
    execFileSync('tar', ['-C', folder, '-xJf', path.join(engines, archive)]);
    const nodes: Node[] = [];
    for (const name of ['coordinator', 'worker-1', 'worker-2'])
      nodes.push(await createNode(folder, name, owner));
    const [coordinator, ...workers] = nodes;
    if (coordinator === undefined) throw new Error('no server was made');
    await open(coordinator);
    await withClient(coordinator.url, (client) =>
      client.query(`select citus_set_coordinator_host('127.0.0.1', $1::int)`, [coordinator.port]),
    );
    for (const worker of workers) await join(coordinator, worker);
    return {
      coordinator: coordinator.url,
      workers,
      async addWorker() {
        const worker = await createNode(folder, `worker-${nodes.length}`, owner);
        nodes.push(worker);
        await join(coordinator, worker);
        return worker;
      },
      async [Symbol.asyncDispose]() {
        for (const node of nodes) node.kill();
        remove();
      },
    };
  } catch (error) {
    remove();
    return `this PostgreSQL 15 does not run the build of Citus: ${messageOf(error)}`;
  }
}

interface Node extends CitusWorker {
  readonly url: string;
}

/** Starts a server whose database has the extension. */
async function open(node: Node): Promise<void> {
  node.start();
  await withClient(node.url, (client) => client.query('create extension citus'));
}

/** Starts a server and makes it a worker. */
async function join(coordinator: Node, worker: Node): Promise<void> {
  await open(worker);
  await withClient(coordinator.url, (client) =>
    client.query(`select citus_add_node('127.0.0.1', $1::int)`, [worker.port]),
  );
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

async function createNode(folder: string, name: string, owner: User | undefined): Promise<Node> {
  const data = path.join(folder, name);
  const port = await freePort();
  const run = (program: string, ...args: string[]) =>
    execFileSync(path.join(folder, 'usr/lib/postgresql/15/bin', program), args, {
      ...owner,
      cwd: '/',
      // Its libpq looks for certificates at home.
      env: { ...process.env, HOME: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  mkdirSync(data);
  if (owner !== undefined) chownSync(data, owner.uid, owner.gid);
  run('initdb', '-D', data, '-U', 'vantage', '--auth=trust', '-E', 'UTF8');
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_preload_libraries: 'citus',
    'citus.local_hostname': '127.0.0.1',
    max_connections: 100,
    max_prepared_transactions: 100,
    wal_level: 'logical',
    fsync: 'off',
    jit: 'off',
  };
  const options = Object.entries(settings).map(([key, value]) => `-c ${key}=${value === '' ? "''" : value}`);
  return {
    port,
    url: `postgres://vantage@127.0.0.1:${port}/postgres`,
    start: () =>
      void run('pg_ctl', '-D', data, '-l', path.join(data, 'log'), '-o', options.join(' '), '-w', 'start'),
    kill() {
      if (existsSync(path.join(data, 'postmaster.pid')))
        run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
    },
  };
}

/** Root may not run PostgreSQL; anybody else runs it as themselves. */
function postgresUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
