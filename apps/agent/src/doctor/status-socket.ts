import { chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { messageOf, readUnixSocket } from '@vantage/kernel';
import { type StatusReport, statusReportSchema } from './status-report.ts';

/** The socket in the agent's data folder. Only its user and root may enter that folder. */
const name = 'status.sock';

/**
 * Answers each connection to the socket in `folder` with the status as JSON. The caller has locked the folder, so an
 * existing socket belongs to an agent that was killed. If the socket cannot be created (a read-only disk, a path of
 * more than 107 bytes), `onFault` gets the reason and the agent continues.
 */
export async function serveStatus(
  folder: string,
  read: () => StatusReport,
  onFault: (text: string) => void,
): Promise<AsyncDisposable> {
  const file = path.join(folder, name);
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(JSON.stringify(read()));
  });
  server.maxConnections = 8;
  try {
    rmSync(file, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(file, resolve);
    });
    chmodSync(file, 0o600);
    server.unref();
  } catch (error) {
    onFault(messageOf(error));
  }
  return {
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

/** The status of the agent that uses `folder`, or the reason why there is none. */
export type StatusAnswer =
  | { readonly kind: 'status'; readonly status: StatusReport }
  | { readonly kind: 'not-running' }
  | { readonly kind: 'unreadable'; readonly text: string };

/** Reads the status of the agent that uses `folder`. */
export async function readStatus(folder: string): Promise<StatusAnswer> {
  try {
    const text = await readUnixSocket(path.join(folder, name), 'the agent');
    const parsed = statusReportSchema.safeParse(JSON.parse(text));
    return parsed.success
      ? { kind: 'status', status: parsed.data }
      : { kind: 'unreadable', text: 'the running agent has another version' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return { kind: 'not-running' };
    return { kind: 'unreadable', text: messageOf(error) };
  }
}
