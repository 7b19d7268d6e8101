import { execFile } from 'node:child_process';
import path from 'node:path';
import { format } from 'node:util';
import { compileCacheEnv } from '@vantage/kernel';
import { programEnv } from '@vantage/kernel/testing';
import { afterAll, vi } from 'vitest';
import { type AdminOf, startAdmin } from '../admin-process.ts';
import { runCommandLine } from '../all-commands.ts';

/** The exit code and output of a command. */
export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const program = path.join(import.meta.dirname, '../main.ts');

/** Without it, commands would use a system that runs in this checkout. */
const noData = { VANTAGE_DATA: '/nowhere' };

/** Runs a command as a process, with these settings. */
export function runVantage(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandOutcome> {
  const env = { ...programEnv(), ...noData, ...settings };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin?.on('error', () => {}); // The command may end without reading.
    child.stdin?.end(input);
  });
}

/** Runs a command in this process, without standard input. It is faster, but only one command may run at a time. */
export async function runHere(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  adminOf?: AdminOf,
): Promise<CommandOutcome> {
  const [out, err]: [string[], string[]] = [[], []];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(captureIn(out)),
    vi.spyOn(process.stderr, 'write').mockImplementation(captureIn(err)),
    vi.spyOn(console, 'log').mockImplementation((...args) => void out.push(`${format(...args)}\n`)),
    vi.spyOn(console, 'error').mockImplementation((...args) => void err.push(`${format(...args)}\n`)),
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
 * `runHere` for the tests of a file. Commands with equal settings share a process of the admin program, which saves its
 * start.
 */
export function useHere(): (
  args: readonly string[],
  settings?: Readonly<Record<string, string>>,
) => Promise<CommandOutcome> {
  const started = new Map<string, ReturnType<typeof startAdmin>>();
  afterAll(async () => {
    for (const process of started.values()) await process[Symbol.asyncDispose]();
  });
  return (args, settings = {}) =>
    runHere(args, settings, (url) => {
      const key = JSON.stringify([url, settings]);
      const process = started.get(key) ?? startAdmin(url);
      started.set(key, process);
      return process.admin;
    });
}

/** A replacement for a stream's `write`, which collects the text. */
function captureIn(captured: string[]): (text: string | Uint8Array, ...rest: readonly unknown[]) => boolean {
  return (text, ...rest) => {
    captured.push(typeof text === 'string' ? text : Buffer.from(text).toString());
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
}
