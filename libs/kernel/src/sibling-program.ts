import path from 'node:path';

/**
 * The program `name` in the folder of the source `url` (its `import.meta.url`): `name.ts` in the repository. In a
 * bundle, which has all programs in one folder, it has the bundle's extension.
 */
export function siblingProgram(url: string, name: string): URL {
  return new URL(`./${name}${path.posix.extname(new URL(url).pathname)}`, url);
}

/** Whether the source `url` (its `import.meta.url`) runs from a bundle instead of the repository. */
export function isBundled(url: string): boolean {
  return !url.endsWith('.ts');
}

/**
 * An environment with nothing but this process's cache of compiled code, for our threads and child processes. Without
 * it, each of them loads the compiler that strips the types of TypeScript, which takes 13 MB and 100 ms.
 */
export function compileCacheEnv(): Record<string, string> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder ? { NODE_COMPILE_CACHE: folder } : {};
}
