import { execFile } from 'node:child_process';
import path from 'node:path';
import { compileCacheEnv } from '@vantage/kernel';

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The program of the command line. */
export const program = path.join(import.meta.dirname, '../main.ts');

/** Runs the command line as an operator would, with these settings. */
export function runVantage(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  input = '',
): Promise<Ended> {
  const env = { PATH: process.env['PATH'], ...compileCacheEnv(), ...settings };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin?.on('error', () => {}); // The command may end without reading.
    child.stdin?.end(input);
  });
}
