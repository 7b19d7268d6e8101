import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessId {
  readonly pid: number;
  /** When it started, in the kernel's ticks since boot; 0 where /proc is missing. */
  readonly started: number;
}

/** The identity of a process that is alive now. */
export function identify(pid: number): ProcessId {
  return { pid, started: startOf(pid) ?? 0 };
}

/** Whether it still runs; a zombie does not. */
export function isAlive(id: ProcessId): boolean {
  if (process.platform === 'linux') return startOf(id.pid) === id.started;
  try {
    return process.kill(id.pid, 0);
  } catch {
    return false;
  }
}

/** Sends a signal if it still runs. */
export function tell(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(id)) return;
  try {
    process.kill(id.pid, signal);
  } catch {
    // ended between the look and the signal
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

/** Field 22 of /proc/<pid>/stat, undefined for the dead and for zombies. */
function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}
