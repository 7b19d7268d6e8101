import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { type Clock, Fault } from '@vantage/kernel';

/** An agent that is about to end may still have the lock for this long. */
const maxWaitMs = 10_000;

/**
 * Locks a data folder for the life of this process, because two agents would overwrite each other's files. On Linux the
 * lock is an abstract socket, which the kernel releases however the process ends; other systems have no lock. Throws a
 * Fault `folder-in-use` if another agent has the lock for 10 s, and `folder-not-ours` if the folder, or a file in it,
 * belongs to another user. A full or read-only disk does not stop the agent: it runs its checks and reports the results
 * that it had to drop.
 */
export async function lockFolder(
  folder: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const foreign = firstForeign(folder) ?? firstForeign(path.join(folder, 'outbox'));
  if (foreign !== undefined) {
    throw new Fault(
      'stop',
      'folder-not-ours',
      `this agent (user ${process.getuid?.() ?? 'unknown'}) may not read and write ${foreign}, which belongs to user ${statSync(foreign).uid}: run it as the user of its data, or give it another VANTAGE_AGENT_DATA`,
    );
  }
  if (process.platform !== 'linux') return { [Symbol.asyncDispose]: async () => {} };
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex');
  const until = clock.monoMs() + maxWaitMs;
  for (;;) {
    const server = await listen(`\0vantage-agent-${name}`);
    if (server !== undefined) return server;
    if (clock.monoMs() > until) {
      throw new Fault(
        'stop',
        'folder-in-use',
        `another agent uses ${folder}: give each agent its own VANTAGE_AGENT_DATA`,
      );
    }
    await clock.sleep(200, signal);
  }
}

/** A folder of root at the top of each ext file system. It exists if the data has a disk of its own. */
const fileSystemFolder = 'lost+found';

/** The folder itself, or the first file in it, that this user may not read and write. */
function firstForeign(folder: string): string | undefined {
  if (isDenied(() => accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK))) return folder;
  let names: string[] = [];
  isDenied(() => {
    names = readdirSync(folder);
  });
  return names
    .filter((name) => name !== fileSystemFolder)
    .map((name) => path.join(folder, name))
    .find((file) => isDenied(() => accessSync(file, constants.R_OK | constants.W_OK)));
}

function isDenied(attempt: () => void): boolean {
  try {
    attempt();
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
  }
}

function listen(name: string): Promise<AsyncDisposable | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(name, () => {
      server.unref();
      resolve({
        [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())),
      });
    });
  });
}
