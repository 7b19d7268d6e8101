import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Clock, Fault } from '@vantage/kernel';

/** How long an agent that ends may still hold its folder. */
const patienceMs = 10_000;

/**
 * Keeps a second agent out of a data folder for as long as this process lives: two would write over each other. On Linux an abstract
 * socket holds it, which the kernel lets go however the process ends; elsewhere nothing is held. Throws a Fault `folder-in-use`
 * when another agent keeps it for 10 s.
 */
export async function holdFolder(
  folder: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== 'linux') return { [Symbol.asyncDispose]: async () => {} };
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex');
  const until = clock.monoMs() + patienceMs;
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
