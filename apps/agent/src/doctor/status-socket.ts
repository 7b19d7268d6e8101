import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { messageOf } from '@vantage/kernel';
import { type AgentStatus, statusSchema } from './status.ts';

/** The socket in the agent's data folder, which only its user and root may enter. */
const name = 'status.sock';
/** A status is shorter, bytes. */
const longest = 65_536;
const answerWithinMs = 5000;

/**
 * Answers each connection to the socket in `folder` with the status as JSON. The caller holds the folder's lock, so a
 * socket that is there already is one of an agent that was killed. Without a socket (a read-only disk, a path longer
 * than 107 bytes) the agent goes on; `onFault` gets the reason.
 */
export async function serveStatus(
  folder: string,
  read: () => AgentStatus,
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

/** The status of the agent that uses `folder`, or why there is none. */
export type StatusAnswer =
  | { readonly kind: 'status'; readonly status: AgentStatus }
  | { readonly kind: 'not-running' }
  | { readonly kind: 'unreadable'; readonly text: string };

/** Asks the agent that uses `folder`. */
export async function readStatus(folder: string): Promise<StatusAnswer> {
  try {
    const text = await receive(path.join(folder, name));
    const parsed = statusSchema.safeParse(JSON.parse(text));
    return parsed.success
      ? { kind: 'status', status: parsed.data }
      : { kind: 'unreadable', text: 'the running agent has another version' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return { kind: 'not-running' };
    return { kind: 'unreadable', text: messageOf(error) };
  }
}

function receive(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(file);
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(answerWithinMs, () => socket.destroy(new Error('the agent does not answer')));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > longest) socket.destroy(new Error('the answer is too long'));
    });
    socket.once('error', reject);
    socket.once('end', () => resolve(text));
  });
}
