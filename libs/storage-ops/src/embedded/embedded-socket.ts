import { createHash } from 'node:crypto';
import { lstat, mkdir, readlink, rm, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hourMs } from '@vantage/domain';
import { Fault, type Logger, messageOf } from '@vantage/kernel';

/** The folder through which clients reach the socket. */
interface SocketFolder {
  readonly folder: string;
  /** Removes the link and its folder. */
  release(): Promise<void>;
}

/** `sun_path` holds 104 to 108 bytes; the socket's own name takes 18. */
const maxFolderBytes = 85;
const refreshEveryMs = hourMs;

/**
 * Returns a folder through which clients reach the socket of the cluster. When the path of the cluster is too long for
 * a socket address, a private folder with a short path gets a link to the cluster. The link is renewed every hour,
 * because another program may clean the temporary folder.
 */
export async function reachSocket(deps: {
  readonly cluster: string;
  readonly log: Logger;
}): Promise<SocketFolder> {
  const { cluster, log } = deps;
  if (Buffer.byteLength(cluster) <= maxFolderBytes) return { folder: cluster, release: async () => {} };
  const folder = path.join(
    shortBase(),
    `vantage-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`,
  );
  const name = path.join(folder, 's');
  await makeLink(folder, name, cluster);
  const timer = setInterval(() => {
    makeLink(folder, name, cluster).catch((error: unknown) =>
      log.warn(
        { folder, error: messageOf(error) },
        'the link to the folder of the database socket cannot be renewed',
      ),
    );
  }, refreshEveryMs);
  timer.unref();
  return {
    folder: name,
    async release() {
      clearInterval(timer);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function shortBase(): string {
  return Buffer.byteLength(tmpdir()) <= 40 ? tmpdir() : '/tmp';
}

/** Creates the folder (mode 0700) and the link in it. Throws a Fault for a folder of another user. */
async function makeLink(folder: string, name: string, cluster: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0)
    throw new Fault(
      'stop',
      'socket_folder_taken',
      `the folder ${folder} for the link to the database socket belongs to another user; remove it, or choose a data folder with a shorter path`,
    );
  if ((await readlink(name).catch(() => undefined)) !== cluster) {
    await rm(name, { force: true });
    await symlink(cluster, name);
  }
  const now = new Date();
  await utimes(folder, now, now);
}
