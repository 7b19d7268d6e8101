import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, limitLogFile, messageOf, readLogEnd } from '@vantage/kernel';
import { type ClusterFolders, cwdOf } from './cluster.ts';
import { isForeignPostmaster, processState, readPostmaster, signal } from './process-state.ts';

const startWithinMs = 60_000;
const stopWithinMs = 3_000;
const killWithinMs = 1_000;

/** Waits while a postmaster of this cluster starts. Returns its pid when it is ready; undefined: there is none. */
export async function whenReady(cluster: string, argument: string): Promise<number | undefined> {
  const deadline = performance.now() + startWithinMs;
  while (performance.now() < deadline) {
    const found = readPostmaster(cluster);
    const state = found === undefined ? 'dead' : processState(found.pid, argument);
    if (found === undefined || state === 'dead') return undefined;
    if (state === 'running' && found.ready) return found.pid;
    await delay(10);
  }
  throw new Fault(
    'stop',
    'not_ready',
    `the database in ${cluster} is running but not ready; see postgres.log next to it`,
  );
}

/**
 * Starts the postmaster and waits until it accepts connections. Adopts a postmaster that another process started
 * meanwhile, because a command of the operator may start at the same time as a controller.
 */
export async function launch(options: {
  readonly postgres: string;
  readonly folders: ClusterFolders;
  readonly argument: string;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<{ readonly pid: number; readonly adopted: boolean }> {
  const { folders, argument } = options;
  const file = path.join(folders.dir, 'postgres.log');
  await limitLogFile(file);
  const deadline = performance.now() + startWithinMs;
  while (true) {
    const other = await whenReady(folders.cluster, argument);
    if (other !== undefined) return { pid: other, adopted: true };
    await removeStalePid(folders.cluster, argument);
    const log = openSync(file, 'a', 0o600);
    const from = (await stat(file)).size;
    const args = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(options.postgres, ['-D', cwdOf(folders.cluster), ...args], {
      ...folders.runAs,
      cwd: folders.cluster,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child.unref();
    const ended: { reason?: string } = {};
    child.once('exit', (code, name) => {
      ended.reason = `it ended with ${name ?? code}`;
    });
    child.once('error', (error) => {
      ended.reason = error.message;
    });
    while (ended.reason === undefined && performance.now() < deadline) {
      const found = readPostmaster(folders.cluster);
      if (found?.ready && found.pid === child.pid) return { pid: found.pid, adopted: false };
      await delay(10);
    }
    const logged = (await readLogEnd(file, from)).trim();
    // The children of a killed postmaster may keep its shared memory a little longer.
    const isTemporary = /pre-existing shared memory|lock file/.test(logged);
    if (!isTemporary || performance.now() > deadline)
      throw new Fault(
        'stop',
        'database_start',
        `the database in ${folders.cluster} did not start: ${lastLines(logged)} (${ended.reason ?? 'it is not ready'}; see ${file})`,
      );
    await delay(250);
  }
}

/**
 * Removes the pid file of a dead postmaster. Another program may have its pid by now, and PostgreSQL would mistake that
 * program for a postmaster. Throws a Fault when the process is a postmaster that another program started, or when its
 * state is unknown.
 */
async function removeStalePid(cluster: string, argument: string): Promise<void> {
  const file = path.join(cluster, 'postmaster.pid');
  const found = readPostmaster(cluster);
  if (found === undefined) return;
  const { pid } = found;
  const state = processState(pid, argument);
  if (state === 'running') return;
  let foreign: boolean;
  try {
    foreign = state === 'unknown' || isForeignPostmaster(pid, cluster);
  } catch (cause) {
    const why = `cannot determine whether process ${pid} of ${file} is a PostgreSQL: ${messageOf(cause)}`;
    throw new Fault('retry', 'database_unknown', why, { cause });
  }
  if (foreign)
    throw new Fault(
      'stop',
      'database_taken',
      `process ${pid} may be a PostgreSQL that another program started on ${cluster}; end it, or remove ${file} if the process is no PostgreSQL`,
    );
  await rm(file, { force: true });
}

function lastLines(text: string): string {
  return text.split('\n').slice(-4).join(' ') || 'it logged nothing';
}

export async function stopPostmaster(pid: number, argument: string): Promise<void> {
  const state = () => processState(pid, argument);
  const hasEnded = async (ms: number) => {
    const deadline = performance.now() + ms;
    while (state() !== 'dead' && performance.now() < deadline) await delay(10);
    return state() === 'dead';
  };
  if (state() === 'running') signal(pid, 'SIGINT');
  if (await hasEnded(stopWithinMs)) return;
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    // In an unknown state another program may have the pid.
    if (state() === 'running') signal(pid, name);
    if (await hasEnded(name === 'SIGQUIT' ? stopWithinMs : killWithinMs)) return;
  }
  const why = `the embedded database (process ${pid}) does not end, although it was killed: its disk may not answer`;
  throw new Fault('retry', 'database_runs', why);
}
