import { once } from 'node:events';
import { connect, createServer, type Server, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createTcpFigures } from './tcp-figures.ts';

async function listen(host: string): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return { server, port: address.port };
}

test.for(['127.0.0.1', '::1'])(
  "the kernel's figures of a connection to %s have one sample, the handshake's",
  async (host, { skip }) => {
    skip(process.platform !== 'linux', `the addon is for Linux, this is ${process.platform}`);
    const { server, port } = await listen(host);
    const startMs = performance.now();
    const socket = connect({ host, port, autoSelectFamily: false });
    await once(socket, 'connect');
    const tookMs = performance.now() - startMs;
    const figures = createTcpFigures()(socket);
    socket.destroy();
    server.close();
    expect(figures?.sentAgain).toBe(0);
    expect(figures?.rttUs).toBeLessThanOrEqual(tookMs * 1000);
    expect(Math.abs((figures?.rttUs ?? 0) - 2 * (figures?.rttvarUs ?? 0))).toBeLessThanOrEqual(1);
  },
);

test('a socket that is not open, and a system without the addon, have no figures', () => {
  let loads = 0;
  const none = createTcpFigures(() => {
    loads += 1;
    return { error: 'no addon here' };
  });
  expect([none(new Socket()), none(new Socket()), loads]).toEqual([undefined, undefined, 1]);
  expect(createTcpFigures()(new Socket())).toBeUndefined();
});
