import { compileCacheEnv } from '../sibling-program.ts';

/** The environment of a program that a test starts: only the path, and the cache of compiled code. */
export function programEnv(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', ...compileCacheEnv() };
}
