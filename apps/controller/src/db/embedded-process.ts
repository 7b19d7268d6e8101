import { readFileSync } from 'node:fs';

/** What `postmaster.pid` says. */
export interface Postmaster {
  readonly pid: number;
  readonly ready: boolean;
}

/** Reads the lines of `postmaster.pid`: the first is the pid, the eighth the state. undefined: no such thing in there. */
export function parsePostmasterPid(text: string): Postmaster | undefined {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined;
}

/** The postmaster that the cluster's pid file names; it may be dead. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  try {
    return parsePostmasterPid(readFileSync(`${cluster}/postmaster.pid`, 'utf8'));
  } catch {
    return undefined; // no file: nothing runs
  }
}

/**
 * Whether `pid` is a living process started with `mark` on its command line. Zombies are dead, and a number that
 * another program got in the meantime (usual after a restart of a container) is not ours. Without /proc the number alone decides.
 */
export function isRunning(pid: number, mark: string): boolean {
  if (process.platform !== 'linux') return signal(pid, 0);
  try {
    if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return false;
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
  } catch {
    return false;
  }
}

/** Sends a signal; false when there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
