import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createTcpPort } from './tcp-port.ts';

const accepted: Socket[] = [];
const port = createTcpPort((socket) => {
  socket.on('error', () => {});
  accepted.push(socket);
});
const clients: Socket[] = [];
afterEach(async () => {
  for (const socket of [...clients, ...accepted.splice(0)]) socket.destroy();
  await port.close();
});

const iteration = () => new Promise((resolve) => setImmediate(resolve));

test('many of the connections that wait are accepted in one iteration of the event loop, in the end all', async () => {
  const number = await port.listen(0, '127.0.0.1');
  for (let i = 0; i < 400; i += 1) clients.push(connect(number, '127.0.0.1').on('error', () => {}));
  await iteration(); // the kernel has them now
  const before = accepted.length;
  await iteration();
  // One socket would have accepted one.
  expect(accepted.length - before).toBeGreaterThanOrEqual(process.platform === 'linux' ? 16 : 1);
  await expect.poll(() => accepted.length).toBe(400);
});

test('a second port on the same number is refused, although both share it with their own sockets', async () => {
  const number = await port.listen(0, '127.0.0.1');
  const second = createTcpPort(() => {});
  await expect(second.listen(number, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await second.close();
});
