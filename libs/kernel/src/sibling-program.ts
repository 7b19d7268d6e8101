import path from 'node:path';

/**
 * The program `name` beside the source `url` (its `import.meta.url`): `name.ts` in the repository. In a bundle, whose programs lie
 * in one folder, it has the bundle's extension.
 */
export function siblingProgram(url: string, name: string): URL {
  return new URL(`./${name}${path.posix.extname(new URL(url).pathname)}`, url);
}

/** Whether the source `url` (its `import.meta.url`) runs from a bundle instead of the repository. */
export function isBundled(url: string): boolean {
  return !url.endsWith('.ts');
}
