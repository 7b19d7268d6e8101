import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chown, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Fault, ignoreMissing } from '@vantage/kernel';
import type { RunAs } from './embedded-binaries.ts';
import { superuserRole } from './owner-role.ts';

/** The folders of an embedded PostgreSQL, and the user that runs it. */
export interface ClusterFolders {
  readonly dir: string;
  readonly cluster: string;
  readonly runAs: RunAs | undefined;
}

const initdbOptions = `-U ${superuserRole} --auth=trust --encoding=UTF8 --data-checksums --no-instructions`
  .concat(' --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8')
  .split(' ');

/** The user for PostgreSQL, which refuses to run as root: the owner of the cluster, else `postgres` or `nobody`. */
export async function chooseUser(cluster: string): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(ignoreMissing);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    const [uid, gid] = [Number(fields[2]), Number(fields[3])];
    if (uid > 0 && Number.isInteger(gid)) return { uid, gid };
  }
  throw new Fault(
    'stop',
    'no_user',
    'PostgreSQL does not run as root, and there is no user postgres or nobody; create one, run as a normal user, or set VANTAGE_DATABASE_URL',
  );
}

export async function hasCluster(cluster: string): Promise<boolean> {
  return (await stat(path.join(cluster, 'PG_VERSION')).catch(ignoreMissing)) !== undefined;
}

/** Creates the cluster under a temporary name and renames it, so that an interruption leaves no partial cluster. */
export async function initialise(initdb: string, folders: ClusterFolders): Promise<void> {
  const fresh = path.join(folders.dir, 'cluster.new');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  if (folders.runAs) await chown(fresh, folders.runAs.uid, folders.runAs.gid);
  const child = spawn(initdb, ['-D', cwdOf(fresh), ...initdbOptions], {
    ...folders.runAs,
    cwd: fresh,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-2000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new Fault(
      'stop',
      'initdb',
      `the database could not be created in ${fresh}: ${stderr.trim() || `initdb ended with ${code}`}`,
    );
  await rename(fresh, folders.cluster);
}

/** The name that a child process uses for its working folder, so that it needs no rights to the folders above. */
export function cwdOf(folder: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : folder;
}
