import { readFileSync, readlinkSync } from 'node:fs';
import { isMissing, readIfPresentSync } from '@vantage/kernel';

/** The content of `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly ready: boolean;
}

/** Reads `postmaster.pid`: line 1 is the pid, line 8 the state. Undefined when line 1 is no pid. */
export function parsePostmasterPid(text: string): Postmaster | undefined {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined;
}

/** The postmaster that the cluster's pid file names; it may be dead. Throws when the file exists and cannot be read. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  const text = readIfPresentSync(`${cluster}/postmaster.pid`);
  return text === undefined ? undefined : parsePostmasterPid(text);
}

/** `unknown`: this process cannot check it (no file descriptors left, no rights). */
export type ProcessState = 'running' | 'dead' | 'unknown';

/**
 * Whether `pid` is a living process with `argument` on its command line. A zombie is dead. Another program may have the
 * same pid by now (usual after a restart of a container), so a command line without the argument also means dead.
 * Without /proc only the pid decides.
 */
export function processState(pid: number, argument: string): ProcessState {
  if (process.platform !== 'linux') return signal(pid, 0) ? 'running' : 'dead';
  try {
    if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return 'dead';
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument) ? 'running' : 'dead';
  } catch (error) {
    return isGone(error) ? 'dead' : 'unknown';
  }
}

/**
 * Whether a postmaster that another program started runs on the cluster: the process of the pid file is alive and its
 * working folder is the cluster. Throws when the working folder cannot be read.
 */
export function isForeignPostmaster(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') return signal(pid, 0);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** ESRCH: the process ended during the check (proc(5)). */
function isGone(error: unknown): boolean {
  return isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'ESRCH');
}

/** Sends a signal; false when there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
