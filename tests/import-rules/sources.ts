import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** A source file with its path from the repository's root. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** Every TypeScript source of the workspace except generated code. */
export function readSources(root: string): Source[] {
  return ['libs', 'apps', 'agent-installer', 'tests'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .filter((file) => !/node_modules\/|\/gen\/|(^|\/)dist\//.test(file))
      .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') })),
  );
}

const manifest = z.object({ name: z.string(), exports: z.record(z.string(), z.string()).optional() });

/** The file behind each name under which one workspace imports another: `@vantage/kernel/testing`. */
export function readPackageEntries(root: string): ReadonlyMap<string, string> {
  const folders = ['libs', 'apps'].flatMap((kind) =>
    readdirSync(path.join(root, kind)).map((name) => `${kind}/${name}`),
  );
  return new Map(
    folders.flatMap((folder) => {
      const read = manifest.parse(JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')));
      return Object.entries(read.exports ?? {}).map(
        ([entry, file]) => [path.posix.join(read.name, entry), path.posix.join(folder, file)] as const,
      );
    }),
  );
}

/** Tests and what only they use. */
export function isTestFile(file: string): boolean {
  return file.endsWith('.test.ts') || /(?:^|\/)(?:testing|tests)\//.test(file);
}
