import { compileCacheEnv } from '../sibling-program.ts';

/**
 * The environment that tests give a program of the repository: nothing of this process but the path and what makes the
 * program quick (the cache of compiled code, and in `npm test` the bundles and large pages).
 */
export function programEnv(): Record<string, string> {
  const { PATH = '', NODE_OPTIONS, GLIBC_TUNABLES } = process.env;
  return {
    PATH,
    ...compileCacheEnv(),
    ...(NODE_OPTIONS !== undefined && { NODE_OPTIONS }),
    ...(GLIBC_TUNABLES !== undefined && { GLIBC_TUNABLES }),
  };
}
