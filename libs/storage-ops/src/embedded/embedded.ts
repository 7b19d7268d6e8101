import { createHash } from 'node:crypto';
import { chown, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '@vantage/kernel';
import { type ClusterFolders, chooseUser, hasCluster, initialise } from './cluster.ts';
import { findBinaries } from './embedded-binaries.ts';
import { reachSocket } from './embedded-socket.ts';
import { ensureOwner, ownerRole, superuserRole, urlOf } from './owner-role.ts';
import { launch, stopPostmaster, whenReady } from './postmaster.ts';
import { type ProcessState, processState } from './process-state.ts';

/** A running embedded PostgreSQL. */
export interface Embedded {
  /** The connection URL of the owner's role; `host` is the folder of the unix socket. */
  readonly url: string;
  /** The connection URL of the superuser. */
  readonly superuserUrl: string;
  /** True: it was already running, for example because a controller was killed. */
  readonly adopted: boolean;
  readonly pid: number;
  /** Checks the process now. */
  state(): ProcessState;
  /**
   * Shuts PostgreSQL down within 3 s, else kills it (then it recovers at the next start). Resolves when the process has
   * ended; throws a Fault when it has not, for example because the disk does not answer.
   */
  stop(): Promise<void>;
}

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
  // The controller logs a failed statement in bounded lines. PostgreSQL would log it with all its values.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/**
 * Starts PostgreSQL on the cluster below `dir`, which is created when it is missing, or adopts a running PostgreSQL.
 *
 * It listens on a unix socket only. When this process is root, PostgreSQL runs as the owner of the cluster, or for a
 * new cluster as `postgres` or `nobody`. Its working folder is the cluster and all its paths are relative to it, so the
 * length and the modes of the folders above do not matter (docs/adr/0003). `settings` are added to its configuration
 * (tests turn fsync off). Throws a Fault with a message for the operator.
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
  const argument = `cluster_name=vantage-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
  const socket = await reachSocket({ cluster, log });
  const handle = (pid: number, adopted: boolean): Embedded => ({
    url: urlOf(ownerRole, socket.folder),
    superuserUrl: urlOf(superuserRole, socket.folder),
    adopted,
    pid,
    state: () => processState(pid, argument),
    async stop() {
      await stopPostmaster(pid, argument);
      await socket.release();
    },
  });
  const running = await whenReady(cluster, argument);
  if (running !== undefined) {
    await ensureOwner(socket.folder);
    return handle(running, true);
  }
  const runAs = await chooseUser(cluster);
  if (runAs) await chown(dir, runAs.uid, runAs.gid);
  const binaries = await findBinaries({ log, runAs });
  const folders: ClusterFolders = { dir, cluster, runAs };
  if (!(await hasCluster(cluster))) await initialise(binaries.initdb, folders);
  const all = { ...settings, ...options.settings, cluster_name: argument.slice('cluster_name='.length) };
  const { pid, adopted } = await launch({ postgres: binaries.postgres, folders, argument, settings: all });
  await ensureOwner(socket.folder);
  return handle(pid, adopted);
}
