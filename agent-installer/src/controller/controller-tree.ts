import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import type { Architecture } from '../elf.ts';
import { nameAt, type Reached, reachable, readLock } from '../lockfile.ts';
import { readNode } from '../node-binary.ts';
import type { ArchiveFile, ArchiveLink } from '../pack-archive.ts';
import { root } from '../root.ts';
import { postgresFiles, postgresPackage } from './postgres-files.ts';

/** The workspaces with the programs of the package. */
const programs = ['apps/controller', 'apps/agent', 'apps/cli', 'agent-installer'];

/** Packages that are used only for builds, or that are optional and need a compiler. */
const excludedPackages = ['rolldown', 'cpu-features', 'raw-socket'];

/** Files that are copied unchanged, with their name in the package. */
const copiedFiles = [
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

/** All packages and workspaces that the programs load, by path in package-lock.json. */
export function controllerParts(arch: Architecture): Reached {
  return reachable(readLock(), programs, { arch, isLeftOut: (name) => excludedPackages.includes(name) });
}

/** All packages and workspaces in the built dashboard. */
export function pageParts(arch: Architecture): Reached {
  return reachable(readLock(), ['apps/dashboard'], { arch, isLeftOut: (name) => name === 'vite' });
}

/**
 * The files of the controller's package, which become the folder `/opt/vantage` of a host: Node, the embedded
 * PostgreSQL, the built dashboard, the docs, and the agents' packages. The same sources and packages give the same
 * entries. Throws where a package is not installed or the dashboard is not built.
 */
export async function controllerTree({
  arch,
  parcels,
}: {
  readonly arch: Architecture;
  /** A folder with the files of `npm run parcel`. */
  readonly parcels: string;
}): Promise<readonly (ArchiveFile | ArchiveLink)[]> {
  const node = await readNode(arch);
  const dashboard = 'apps/dashboard/dist';
  if (!existsSync(path.join(root, dashboard, 'index.html')))
    throw new Error('the page is not built: "npm run build" builds it');
  return [
    { name: 'bin/node', mode: 0o755, data: node.program },
    ...(await packageFiles(arch)),
    ...copiedFiles.map(({ file, name, mode }) => ({ name, mode, data: readFileSync(path.join(root, file)) })),
    ...filesBelow(dashboard, (file) => !file.endsWith('.sources')),
    ...filesBelow('docs', (file) => /^docs\/(gen\/)?[^/]*\.(md|json)$/.test(file)),
    ...filesBelow(path.relative(root, parcels), (file) => /\.tar\.gz(\.sha256|\.sig)?$/.test(file)).map(
      (entry) => ({ ...entry, name: `agent-installer/dist/${path.basename(entry.name)}` }),
    ),
    text('licences/node.txt', node.licence),
    text('VERSION', `${productVersion}\n`),
  ];
}

/** Workspaces, packages and the links between them. */
async function packageFiles(arch: Architecture): Promise<(ArchiveFile | ArchiveLink)[]> {
  const entries: (ArchiveFile | ArchiveLink)[] = [];
  for (const part of controllerParts(arch).keys()) {
    if (nameAt(part) === postgresPackage(arch)) {
      entries.push(...(await postgresFiles(arch)));
    } else if (part.includes('node_modules/')) {
      if (!existsSync(path.join(root, part)))
        throw new Error(`${part} is not installed; "npm ci" installs it`);
      entries.push(...filesBelow(part, (file) => isNeeded(file.slice(part.length + 1))));
    } else {
      entries.push(...filesBelow(part, (file) => isSource(file.slice(part.length + 1), arch)));
      if (part.startsWith('libs/'))
        entries.push({ name: `node_modules/@vantage/${path.basename(part)}`, target: `../../${part}` });
    }
  }
  return entries;
}

/** Whether a file of a workspace is needed at run time. */
function isSource(file: string, arch: Architecture): boolean {
  if (/\.test\.tsx?$|(^|\/)testing\//.test(file)) return false;
  return (
    /^(package\.json$|src\/|binaries\/)/.test(file) ||
    (file.startsWith('prebuilt/') && file.includes(`linux-${arch}`))
  );
}

/** Whether a file of a package is needed at run time, or is a licence. */
function isNeeded(file: string): boolean {
  if (/^(licen[cs]e|notice|copying)/i.test(path.basename(file))) return true;
  return !/^tests?\/|\.([cm]?ts|tsx|map|md|markdown|flow|c|cc|h|gyp|wat)$|(^|\/)\.[^/]*$/.test(file);
}

/** The matching files below a folder of the repository, without links and nested packages. */
function filesBelow(folder: string, matches: (file: string) => boolean): ArchiveFile[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(name, matches);
    if (!entry.isFile() || !matches(name)) return [];
    return [{ name, mode: 0o644, data: readFileSync(path.join(root, name)) }];
  });
}

function text(name: string, content: string): ArchiveFile {
  return { name, mode: 0o644, data: Buffer.from(content) };
}
