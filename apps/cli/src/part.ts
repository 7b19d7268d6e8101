import { spawn } from 'node:child_process';
import path from 'node:path';
import { whenAskedToEnd } from './signals.ts';

/** The processes of a system. */
export type Part = 'controller' | 'agent';

/** The program of a part. Apps are joined by processes, never by imports. */
function programOf(part: Part): string {
  return path.resolve(import.meta.dirname, `../../${part}/src/main.ts`);
}

/**
 * How Node runs a part: its arguments and its environment. Memory is kept small by a small young generation and two
 * arenas of malloc: the controller took 275 MiB without them and 180 MiB with them after the same reads. The agent, as
 * on hosts that have the parcel, has a heap of at most 512 MiB; the controller's grows with its devices.
 */
export function startOf(
  part: Part,
  env: NodeJS.ProcessEnv,
): { args: readonly string[]; env: NodeJS.ProcessEnv } {
  switch (part) {
    case 'controller':
      return { args: ['--max-semi-space-size=8', programOf(part)], env: { ...fewArenas, ...env } };
    case 'agent':
      return { args: [...smallHeap, programOf(part)], env: { ...fewArenas, ...env } };
  }
}

const fewArenas = { MALLOC_ARENA_MAX: '2' } as const;
const smallHeap = ['--max-semi-space-size=4', '--max-old-space-size=512', '--no-parallel-scavenge'] as const;

/**
 * Runs a part in the foreground with our settings, signals and output; resolves at its end, whose code becomes ours.
 */
export function runPart(part: Part): Promise<void> {
  const { args, env } = startOf(part, process.env);
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true, // a group of its own: it gets each signal once, from us
  });
  const end = () => void child.kill('SIGTERM');
  const request = whenAskedToEnd(end, end);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      process.exitCode = code ?? 1;
      request[Symbol.dispose]();
      resolve();
    });
  });
}
