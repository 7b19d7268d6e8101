import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readUnixSocket } from './read-unix-socket.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-socket-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Serves each connection with this text. */
async function serve(name: string, text: string): Promise<AsyncDisposable & { readonly file: string }> {
  const file = path.join(folder, name);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(text);
  });
  await new Promise<void>((resolve) => server.listen(file, resolve));
  return {
    file,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

test('the text of a server is read to its end', async () => {
  await using server = await serve('whole', 'ä'.repeat(65_536));
  expect(await readUnixSocket(server.file, 'the agent')).toBe('ä'.repeat(65_536));
});

test('an answer beyond 64 Ki characters is refused', async () => {
  await using server = await serve('long', 'x'.repeat(65_537));
  await expect(readUnixSocket(server.file, 'the agent')).rejects.toThrow('the answer is too long');
});

test('a socket that no server has rejects with the error of the system', async () => {
  const file = path.join(folder, 'none');
  await expect(readUnixSocket(file, 'the agent')).rejects.toMatchObject({ code: 'ENOENT' });
});
