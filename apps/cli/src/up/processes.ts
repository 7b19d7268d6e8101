import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isMissing, readIfPresentSync } from '@vantage/kernel';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessId {
  readonly pid: number;
  /**
   * When it started, in the kernel's ticks since boot; 0 where that could not be read: the number alone decides then.
   */
  readonly started: number;
}

/** The identity of a process that is alive now. */
export function identify(pid: number): ProcessId {
  const started = startOf(pid);
  return { pid, started: typeof started === 'number' ? started : 0 };
}

/**
 * Whether it still runs; a zombie does not. Where that cannot be found out it counts as running: nothing is taken from
 * a process that may live.
 */
export function isAlive(id: ProcessId): boolean {
  const started = startOf(id.pid);
  if (started === 'dead') return false;
  return started === 'unknown' || id.started === 0 ? answersSignals(id.pid) : started === id.started;
}

/** Sends a signal if it still runs. */
export function sendSignal(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(id)) return;
  try {
    process.kill(id.pid, signal);
  } catch {
    // It ended after it was found alive.
  }
}

/** Waits until all have ended; false when some still run after `ms`. */
export async function allEnded(ids: readonly ProcessId[], ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (ids.some(isAlive)) {
    if (performance.now() >= deadline) return false;
    await delay(20);
  }
  return true;
}

/** Field 22 of /proc/<pid>/stat; zombies are dead. Unknown: no /proc here, or it cannot be read now. */
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
 * Ends the embedded database below `dir` when its controller was killed and could not end it: with a fast shutdown, and
 * after half a second with an immediate one. Does nothing when no database runs there, or when that cannot be found
 * out.
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

/** The process of the cluster's pid file, when it is a PostgreSQL of ours that works in that folder. */
function postmasterOf(cluster: string): number | undefined {
  try {
    const pid = Number(readIfPresentSync(path.join(cluster, 'postmaster.pid'))?.split('\n')[0]);
    if (!Number.isInteger(pid) || pid < 2) return undefined;
    const ours = readIfPresentSync(`/proc/${pid}/cmdline`)?.includes('cluster_name=vantage-') === true;
    return ours && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) ? pid : undefined;
  } catch {
    return undefined;
  }
}
