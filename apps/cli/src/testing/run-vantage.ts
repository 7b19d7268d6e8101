import { execFile } from 'node:child_process';
import path from 'node:path';
import { format } from 'node:util';
import { compileCacheEnv } from '@vantage/kernel';
import { programEnv } from '@vantage/kernel/testing';
import { afterAll, vi } from 'vitest';
import { type AdminOf, startAdmin } from '../admin.ts';
import { runCommandLine } from '../all-commands.ts';

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The program of the command line. */
export const program = path.join(import.meta.dirname, '../main.ts');

/** Without it commands would read the system that somebody started in this checkout. */
const noData = { VANTAGE_DATA: '/nowhere' };

/** Runs the command line as an operator would, with these settings. */
export function runVantage(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  input = '',
): Promise<Ended> {
  const env = { ...programEnv(), ...noData, ...settings };
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
  adminOf?: AdminOf,
): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keepIn(out)),
    vi.spyOn(process.stderr, 'write').mockImplementation(keepIn(err)),
    vi.spyOn(console, 'log').mockImplementation((...all) => void out.push(`${format(...all)}\n`)),
    vi.spyOn(console, 'error').mockImplementation((...all) => void err.push(`${format(...all)}\n`)),
  ];
  const { exitCode } = process;
  process.exitCode = undefined;
  const inherited = Object.keys(process.env).filter((name) => name.startsWith('VANTAGE_'));
  for (const name of inherited) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({ ...compileCacheEnv(), ...noData, ...settings }))
    vi.stubEnv(name, value);
  try {
    await runCommandLine(args, adminOf);
    return { code: Number(process.exitCode ?? 0), out: out.join(''), err: err.join('') };
  } finally {
    process.exitCode = exitCode;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

/**
 * `runHere` for the tests of a file. The commands with equal settings share one process of the admin program, which
 * spares its start too.
 */
export function useHere(): (
  args: readonly string[],
  settings?: Readonly<Record<string, string>>,
) => Promise<Ended> {
  const started = new Map<string, ReturnType<typeof startAdmin>>();
  afterAll(async () => {
    for (const one of started.values()) await one[Symbol.asyncDispose]();
  });
  return (args, settings = {}) =>
    runHere(args, settings, (url) => {
      const key = JSON.stringify([url, settings]);
      const one = started.get(key) ?? startAdmin(url);
      started.set(key, one);
      return one.admin;
    });
}

/** Keeps what is written to a stream instead, and calls the writer back. */
function keepIn(kept: string[]): (text: string | Uint8Array, ...rest: readonly unknown[]) => boolean {
  return (text, ...rest) => {
    kept.push(typeof text === 'string' ? text : Buffer.from(text).toString());
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
}
