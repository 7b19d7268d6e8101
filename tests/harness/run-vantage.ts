import { spawn } from 'node:child_process';
import path from 'node:path';
import { runHere } from '../../apps/cli/src/testing/run-vantage.ts';
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

/**
 * Runs a command of the command line in this process, with these settings only. It costs a tenth of a start of
 * `./vantage`; only one may run at a time, and there is no standard input.
 */
export async function runVantageHere(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Ran> {
  const { code, out, err } = await runHere(args, settings);
  return { code, stdout: out, stderr: err };
}

/** Runs a program as `runVantage` does. */
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
