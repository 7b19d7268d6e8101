import { spawn } from 'node:child_process';
import path from 'node:path';
import { onEndRequest } from './end-request.ts';

/** The processes of a system. */
export type SystemPart = 'controller' | 'agent';

/** Apps start each other as processes and never import. */
function programOf(part: SystemPart): string {
  return path.resolve(import.meta.dirname, `../../${part}/src/main.ts`);
}

/**
 * Node's arguments and environment for a part. A small young generation and two arenas of malloc save memory: after the
 * same reads the controller uses 180 MiB instead of 275 MiB. The agent's heap is limited to 512 MiB, as on hosts with
 * the parcel; the controller's heap grows with its devices.
 */
export function startOf(
  part: SystemPart,
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

/** Runs a part in the foreground with our settings and output. Resolves at its end, and exits with its exit code. */
export function runPart(part: SystemPart): Promise<void> {
  const { args, env } = startOf(part, process.env);
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true, // its own process group, so that it gets each signal only from us
  });
  const end = () => void child.kill('SIGTERM');
  const request = onEndRequest(end, end);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      process.exitCode = code ?? 1;
      request[Symbol.dispose]();
      resolve();
    });
  });
}
