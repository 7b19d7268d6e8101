import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The longest time that the processors are kept awake, milliseconds: more than the longest test file needs. */
const awakeMs = 15 * 60_000;

/**
 * Gives this process's main thread the highest priority until disposed, where root and `chrt` are available, and keeps
 * the processors awake. The accuracy holds at rest or under the load of the agent alone, and other work of a shared
 * machine is neither. Processes that it starts meanwhile have the usual priority.
 */
export function runFirst(): Disposable {
  const spinners = keepAwake();
  prioritize(process.pid);
  return {
    [Symbol.dispose]: () => {
      spawnSync('chrt', ['-o', '-p', '0', `${process.pid}`]);
      for (const each of spinners) each.kill('SIGKILL');
    },
  };
}

/**
 * Gives a process's main thread the highest priority, where root and `chrt` are available: a process that stamps must
 * not wait for a processor. Processes that it starts have the usual priority.
 */
export function prioritize(pid: number): void {
  spawnSync('chrt', ['-R', '-r', '-p', '1', `${pid}`]);
}

/**
 * Starts a process for each processor that uses only the time that nobody else wants (SCHED_IDLE). A virtual processor
 * without work halts, and the hypervisor may need milliseconds to run it again: an error of the stamps that no program
 * can avoid. Each process ends with this one, and after 15 minutes. Starts none where `chrt` is missing.
 */
function keepAwake(): readonly ChildProcess[] {
  if (process.platform !== 'linux' || spawnSync('chrt', ['--version']).status !== 0) return [];
  const spin = `const end = Date.now() + ${awakeMs}; while (process.ppid === ${process.pid} && Date.now() < end);`;
  return Array.from({ length: availableParallelism() }, () => {
    const child = spawn('chrt', ['-i', '0', process.execPath, '-e', spin], {
      stdio: 'ignore',
      detached: true,
    });
    child.on('error', () => {});
    yieldToOthers(child.pid);
    return child;
  });
}

/**
 * Gives a process that leads a session the smallest share. The kernel may divide the processors among sessions
 * (CONFIG_SCHED_AUTOGROUP), and SCHED_IDLE yields within its own session only.
 */
function yieldToOthers(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, '19');
  } catch {
    // This kernel does not divide by sessions.
  }
}

/**
 * The limits of what the kernel of this machine measures for a probe: ConnectTime, where the addon is there, at rest
 * and under load.
 */
export const kernelLimits: Readonly<Record<string, number>> =
  process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
    ? { connect: 0.5, 'step connect': 0.5 }
    : {};
