import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createAdmin, startAdmin } from './admin-process.ts';

test('a failure of the admin program is a Fault with its code and message', async () => {
  const admin = createAdmin('postgres://u:p@127.0.0.1:1/x');
  await expect(admin('accounts.list', {})).rejects.toMatchObject({
    code: 'database_away',
    message: expect.stringContaining('the database cannot be reached'),
  });
});

test('one process of the admin program runs several commands, also after one that failed', async () => {
  await using started = startAdmin('postgres://u:p@127.0.0.1:1/x');
  for (let call = 0; call < 2; call++)
    await expect(started.admin('accounts.list', {})).rejects.toMatchObject({ code: 'database_away' });
});

test('an abort ends the admin program while it waits', async () => {
  const server = createServer();
  const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const ending = new AbortController();
  await using started = startAdmin(`postgres://u:p@127.0.0.1:${port}/x`, ending.signal);
  const answer = expect(started.admin('accounts.list', {})).rejects.toThrow(/abort/i);
  const socket = await connected;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {}).resume();
  ending.abort();
  await Promise.all([answer, closed]);
  server.close();
});
