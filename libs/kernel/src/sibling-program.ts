import path from 'node:path';

/**
 * The program `name` beside the source `url` (its `import.meta.url`): `name.ts` in the repository. In a bundle, whose
 * programs lie in one folder, it has the bundle's extension.
 */
export function siblingProgram(url: string, name: string): URL {
  return new URL(`./${name}${path.posix.extname(new URL(url).pathname)}`, url);
}

/** Whether the source `url` (its `import.meta.url`) runs from a bundle instead of the repository. */
export function isBundled(url: string): boolean {
  return !url.endsWith('.ts');
}

/**
 * The environment in which a thread or a process of ours uses the cache of compiled code of this process, and nothing
 * else. Without the cache each of them loads the compiler that removes the types from TypeScript, which takes 13 MB and
 * 100 ms.
 */
export function compileCacheEnv(): Record<string, string> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder ? { NODE_COMPILE_CACHE: folder } : {};
}
