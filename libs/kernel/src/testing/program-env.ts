import { compileCacheEnv } from '../sibling-program.ts';

/**
 * The environment that tests give a program of the repository: nothing of this process but the path and what lets Node
 * load the program quickly (the cache of compiled code, and in `npm test` the bundles).
 */
export function programEnv(): Record<string, string> {
  const { PATH = '', NODE_OPTIONS: options } = process.env;
  return { PATH, ...compileCacheEnv(), ...(options !== undefined && { NODE_OPTIONS: options }) };
}
