import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { chown, mkdir, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, ignoreMissing, type Logger, limitLogFile, messageOf, readLogEnd } from '@vantage/kernel';
import { findBinaries, type RunAs } from './embedded-binaries.ts';
import {
  ensureOwner,
  isForeignPostmaster,
  ownerRole,
  type ProcessState,
  processState,
  readPostmaster,
  signal,
  superuserRole,
  urlOf,
} from './embedded-process.ts';
import { reachSocket } from './embedded-socket.ts';

/** A running embedded PostgreSQL. */
export interface Embedded {
  /** Connection URL of the owner's role; `host` is the folder of the unix socket. */
  readonly url: string;
  /** Connection URL of the superuser. */
  readonly superuserUrl: string;
  /** True when it was running already, because a killed controller had left it. */
  readonly adopted: boolean;
  readonly pid: number;
  /** Checks the process now. */
  state(): ProcessState;
  /**
   * Ends it in order within 3 s, else at once (then it recovers at the next start). Resolves when the process has
   * ended; throws a Fault when it has not, for example because the disk does not answer.
   */
  stop(): Promise<void>;
}

const initdbOptions = `-U ${superuserRole} --auth=trust --encoding=UTF8 --data-checksums --no-instructions`
  .concat(' --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8')
  .split(' ');
const startWithinMs = 60_000;
const stopWithinMs = 3_000;
const killWithinMs = 1_000;
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  shared_buffers: '128MB',
  max_connections: '80',
  max_wal_size: '2GB',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  log_checkpoints: 'off',
  // The controller logs a refused statement in bounded lines. PostgreSQL would log it with all its values.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/**
 * Starts PostgreSQL on the cluster below `dir` (made when missing), or adopts the one that runs there already.
 *
 * It listens on a unix socket only. When this process is root, PostgreSQL runs as the owner of the cluster, or for a
 * new cluster as `postgres` or `nobody`. Its working folder is the cluster and all its paths are relative to it, so
 * neither the length nor the modes of the folders above matter (docs/adr/0003). `settings` are added to its
 * configuration (tests turn fsync off). Throws a Fault with a message for the operator.
 */
export async function startEmbedded(options: {
  readonly dir: string;
  readonly log: Logger;
  readonly settings?: Readonly<Record<string, string>>;
}): Promise<Embedded> {
  const { log } = options;
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  const dir = await realpath(options.dir);
  const cluster = path.join(dir, 'cluster');
  const mark = `cluster_name=vantage-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
  const socket = await reachSocket({ cluster, log });
  const handle = (pid: number, adopted: boolean): Embedded => ({
    url: urlOf(ownerRole, socket.folder),
    superuserUrl: urlOf(superuserRole, socket.folder),
    adopted,
    pid,
    state: () => processState(pid, mark),
    async stop() {
      await stopPostmaster(pid, mark);
      await socket.release();
    },
  });
  const left = await whenReady(cluster, mark);
  if (left !== undefined) {
    await ensureOwner(socket.folder);
    return handle(left, true);
  }
  const runAs = await chooseUser(cluster);
  if (runAs) await chown(dir, runAs.uid, runAs.gid);
  const binaries = await findBinaries({ log, runAs });
  const place: Place = { dir, cluster, runAs };
  if (!(await holdsCluster(cluster))) await initialise(binaries.initdb, place);
  const all = { ...settings, ...options.settings, cluster_name: mark.slice('cluster_name='.length) };
  const { pid, adopted } = await launch({ postgres: binaries.postgres, place, mark, settings: all });
  await ensureOwner(socket.folder);
  return handle(pid, adopted);
}

interface Place {
  readonly dir: string;
  readonly cluster: string;
  readonly runAs: RunAs | undefined;
}

/**
 * PostgreSQL refuses to run as root. For root this is the owner of the cluster, else `postgres` or `nobody`; otherwise
 * undefined.
 */
async function chooseUser(cluster: string): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(ignoreMissing);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    const [uid, gid] = [Number(fields[2]), Number(fields[3])];
    if (uid > 0 && Number.isInteger(gid)) return { uid, gid };
  }
  throw new Fault(
    'stop',
    'no_user',
    'PostgreSQL does not run as root and there is no user postgres or nobody; make one, run as a normal user, or set VANTAGE_DATABASE_URL',
  );
}

async function holdsCluster(cluster: string): Promise<boolean> {
  return (await stat(path.join(cluster, 'PG_VERSION')).catch(ignoreMissing)) !== undefined;
}

/**
 * Creates the cluster under a temporary name and renames it, so that an interrupted start leaves no partial cluster.
 */
async function initialise(initdb: string, place: Place): Promise<void> {
  const fresh = path.join(place.dir, 'cluster.new');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  if (place.runAs) await chown(fresh, place.runAs.uid, place.runAs.gid);
  const child = spawn(initdb, ['-D', cwdOf(fresh), ...initdbOptions], {
    ...place.runAs,
    cwd: fresh,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-2000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new Fault(
      'stop',
      'initdb',
      `the database could not be made in ${fresh}: ${said.trim() || `initdb ended with ${code}`}`,
    );
  await rename(fresh, place.cluster);
}

/** The name that a child uses for its working folder. The child needs no rights to the folders above it. */
function cwdOf(folder: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

/**
 * Waits while a postmaster of this cluster is starting. Returns its pid once it is ready, undefined when there is none.
 */
async function whenReady(cluster: string, mark: string): Promise<number | undefined> {
  const deadline = performance.now() + startWithinMs;
  while (performance.now() < deadline) {
    const found = readPostmaster(cluster);
    const state = found === undefined ? 'dead' : processState(found.pid, mark);
    if (found === undefined || state === 'dead') return undefined;
    if (state === 'running' && found.ready) return found.pid;
    await delay(10);
  }
  throw new Fault(
    'stop',
    'not_ready',
    `the database in ${cluster} is running but not ready; see postgres.log beside it`,
  );
}

/**
 * Starts the postmaster and waits until it accepts connections. Adopts one that another process started meanwhile: a
 * command of the operator may begin at the same moment as a controller.
 */
async function launch(options: {
  readonly postgres: string;
  readonly place: Place;
  readonly mark: string;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<Pick<Embedded, 'pid' | 'adopted'>> {
  const { place, mark } = options;
  const file = path.join(place.dir, 'postgres.log');
  await limitLogFile(file);
  const deadline = performance.now() + startWithinMs;
  while (true) {
    const other = await whenReady(place.cluster, mark);
    if (other !== undefined) return { pid: other, adopted: true };
    await removeStalePid(place.cluster, mark);
    const log = openSync(file, 'a', 0o600);
    const from = (await stat(file)).size;
    const args = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(options.postgres, ['-D', cwdOf(place.cluster), ...args], {
      ...place.runAs,
      cwd: place.cluster,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child.unref();
    const ended: { how?: string } = {};
    child.once('exit', (code, name) => {
      ended.how = `it ended with ${name ?? code}`;
    });
    child.once('error', (error) => {
      ended.how = error.message;
    });
    while (ended.how === undefined && performance.now() < deadline) {
      const found = readPostmaster(place.cluster);
      if (found?.ready && found.pid === child.pid) return { pid: found.pid, adopted: false };
      await delay(10);
    }
    const said = (await readLogEnd(file, from)).trim();
    // The children of a killed postmaster may hold its shared memory a moment longer.
    const passing = /pre-existing shared memory|lock file/.test(said);
    if (!passing || performance.now() > deadline)
      throw new Fault(
        'stop',
        'database_start',
        `the database in ${place.cluster} did not start: ${lastLines(said)} (${ended.how ?? 'it is not ready'}; see ${file})`,
      );
    await delay(250);
  }
}

/**
 * Removes the pid file of a postmaster that is certainly dead. Another program may have its pid by now, and PostgreSQL
 * would mistake that program for a postmaster. Throws a Fault when the process is a postmaster of another starter, or
 * when its state is unknown.
 */
async function removeStalePid(cluster: string, mark: string): Promise<void> {
  const file = path.join(cluster, 'postmaster.pid');
  const found = readPostmaster(cluster);
  if (found === undefined) return;
  const { pid } = found;
  const state = processState(pid, mark);
  if (state === 'running') return;
  let foreign: boolean;
  try {
    foreign = state === 'unknown' || isForeignPostmaster(pid, cluster);
  } catch (cause) {
    const why = `cannot find out whether process ${pid} of ${file} is a PostgreSQL: ${messageOf(cause)}`;
    throw new Fault('retry', 'database_unknown', why, { cause });
  }
  if (foreign)
    throw new Fault(
      'stop',
      'database_taken',
      `process ${pid} may be a PostgreSQL that another program started on ${cluster}; end it, or remove ${file} when the process is no PostgreSQL`,
    );
  await rm(file, { force: true });
}

function lastLines(text: string): string {
  return text.split('\n').slice(-4).join(' ') || 'it logged nothing';
}

async function stopPostmaster(pid: number, mark: string): Promise<void> {
  const state = () => processState(pid, mark);
  const gone = async (ms: number) => {
    const deadline = performance.now() + ms;
    while (state() !== 'dead' && performance.now() < deadline) await delay(10);
    return state() === 'dead';
  };
  if (state() === 'running') signal(pid, 'SIGINT');
  if (await gone(stopWithinMs)) return;
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    // In an unknown state another program may have the pid.
    if (state() === 'running') signal(pid, name);
    if (await gone(name === 'SIGQUIT' ? stopWithinMs : killWithinMs)) return;
  }
  const why = `the embedded database (process ${pid}) does not end, although it was killed: its disk may not answer`;
  throw new Fault('retry', 'database_runs', why);
}
