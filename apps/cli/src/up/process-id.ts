import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isMissing, readIfPresentSync } from '@vantage/kernel';

/** Identifies a process, even if a later process gets the same number. */
export interface ProcessId {
  readonly pid: number;
  /** The start time in the kernel's ticks since boot; 0 where it could not be read. */
  readonly started: number;
}

export function identify(pid: number): ProcessId {
  const started = startOf(pid);
  return { pid, started: typeof started === 'number' ? started : 0 };
}

/** Whether the process runs. A zombie does not. Where the state is unknown, the process counts as running. */
export function isAlive(id: ProcessId): boolean {
  const started = startOf(id.pid);
  if (started === 'dead') return false;
  return started === 'unknown' || id.started === 0 ? answersSignals(id.pid) : started === id.started;
}

export function sendSignal(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(id)) return;
  try {
    process.kill(id.pid, signal);
  } catch {
    // The process has ended since the check.
  }
}

/** Waits until all have ended. Returns false where some still run after `maxMs`. */
export async function allEnded(ids: readonly ProcessId[], maxMs: number): Promise<boolean> {
  const deadline = performance.now() + maxMs;
  while (ids.some(isAlive)) {
    if (performance.now() >= deadline) return false;
    await delay(20);
  }
  return true;
}

/** Field 22 of /proc/<pid>/stat. Zombies are dead. Unknown: there is no /proc, or it cannot be read. */
function startOf(pid: number): number | 'dead' | 'unknown' {
  if (process.platform !== 'linux') return 'unknown';
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'dead' : Number(fields[19]);
  } catch (error) {
    return isMissing(error) || codeOf(error) === 'ESRCH' ? 'dead' : 'unknown';
  }
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Ends the embedded database below `dir` after its controller was killed: with a fast shutdown, and after half a second
 * with an immediate one. Does nothing where no database is found.
 */
export async function endDatabase(dir: string): Promise<void> {
  const pid = postmasterOf(path.join(dir, 'cluster'));
  if (pid === undefined) return;
  const postmaster = identify(pid);
  sendSignal(postmaster, 'SIGINT');
  if (await allEnded([postmaster], 500)) return;
  sendSignal(postmaster, 'SIGQUIT');
  await allEnded([postmaster], 500);
}

/** The process of the cluster's pid file, where it is our PostgreSQL in that folder. */
function postmasterOf(cluster: string): number | undefined {
  try {
    const pid = Number(readIfPresentSync(path.join(cluster, 'postmaster.pid'))?.split('\n')[0]);
    if (!Number.isInteger(pid) || pid < 2) return undefined;
    const isOurs = readIfPresentSync(`/proc/${pid}/cmdline`)?.includes('cluster_name=vantage-') === true;
    return isOurs && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) ? pid : undefined;
  } catch {
    return undefined;
  }
}
