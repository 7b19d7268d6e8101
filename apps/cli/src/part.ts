import { spawn } from 'node:child_process';
import path from 'node:path';
import { whenAskedToEnd } from './signals.ts';

/** The processes of a system. */
export type Part = 'controller' | 'agent';

/** The program of a part. Apps are joined by processes, never by imports. */
export function programOf(part: Part): string {
  return path.resolve(import.meta.dirname, `../../${part}/src/main.ts`);
}

/** Runs a part in the foreground with our settings, signals and output; resolves at its end, whose code becomes ours. */
export function runPart(part: Part): Promise<void> {
  const child = spawn(process.execPath, [programOf(part)], {
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
