import { execFile } from 'node:child_process';
import path from 'node:path';
import { compileCacheEnv } from '@vantage/kernel';
import { vi } from 'vitest';
import { runCommandLine } from '../all-commands.ts';

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

/** The same in this process, without an input. It spares the start of a program, but only one may run at a time. */
export async function runHere(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [outputs, errors] = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  const logs = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];
  const spies = [outputs, errors, ...logs];
  for (const spy of [outputs, errors]) spy.mockImplementation(() => true);
  for (const spy of logs) spy.mockImplementation(() => {});
  const { exitCode } = process;
  const inherited = Object.keys(process.env).filter((name) => name.startsWith('VANTAGE_'));
  for (const name of inherited) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({ ...compileCacheEnv(), ...settings })) vi.stubEnv(name, value);
  try {
    await runCommandLine(args);
    const textOf = (all: readonly (readonly unknown[])[]) => all.map(([text]) => String(text)).join('\n');
    const [log, error] = logs.map(({ mock }) => textOf(mock.calls));
    return {
      code: Number(process.exitCode ?? 0),
      out: `${textOf(outputs.mock.calls)}${log}`,
      err: `${textOf(errors.mock.calls)}${error}`,
    };
  } finally {
    process.exitCode = exitCode;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}
