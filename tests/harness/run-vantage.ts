import { spawn } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from './system.ts';

/** The output of a command, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly cwd?: string;
}

/** Runs a command of `./vantage` with a text on its standard input. It inherits no setting of Vantage. */
export function runVantage(args: readonly string[], surroundings: Surroundings = {}): Promise<Ran> {
  return runProgram(path.join(repositoryRoot, 'vantage'), args, surroundings);
}

/** Runs any program so. */
export function runProgram(
  program: string,
  args: readonly string[],
  { env = {}, input = '', cwd }: Surroundings = {},
): Promise<Ran> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VANTAGE_'));
  const child = spawn(program, args, {
    env: { ...Object.fromEntries(inherited), ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => {}); // it may end before it has read all
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
