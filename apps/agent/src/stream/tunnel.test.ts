import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { Secret } from '@vantage/kernel';
import { closedPort } from '@vantage/probes/testing';
import { startConnectProxy } from '@vantage/testing/connect-proxy';
import { expect, test } from 'vitest';
import { openTunnel } from './tunnel.ts';

const never = new AbortController().signal;

async function listening<T extends Server>(server: T): Promise<{ port: number } & AsyncDisposable> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

test('a tunnel carries bytes both ways, with user and password', async () => {
  await using echo = await listening(createTcpServer((socket) => socket.pipe(socket)));
  await using proxy = await startConnectProxy('127.0.0.1', 'user:p@ss');
  const socket = await openTunnel({
    proxy: new Secret(`http://user:p%40ss@127.0.0.1:${proxy.port}`),
    host: '127.0.0.1',
    port: echo.port,
    signal: never,
  });
  const answer = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())));
  socket.write('hello');
  expect(await answer).toBe('hello');
  expect(proxy.asked).toEqual([`127.0.0.1:${echo.port}`]);
  socket.destroy();
});

test.each([
  [
    'a wrong password',
    (port: number) => `http://user:wrong@127.0.0.1:${port}`,
    /refuses the connection to 127.0.0.1:9: 407/,
  ],
  [
    'a port that refuses',
    () => `http://user:wrong@127.0.0.1:${closedPort}`,
    /cannot be used: .*ECONNREFUSED/,
  ],
])('%s is named, without the password', async (_, urlOf, text) => {
  await using proxy = await startConnectProxy('127.0.0.1', 'user:p@ss');
  const opened = openTunnel({
    proxy: new Secret(urlOf(proxy.port)),
    host: '127.0.0.1',
    port: 9,
    signal: never,
  });
  await expect(opened).rejects.toThrow(text);
  await expect(opened).rejects.not.toThrow(/wrong/);
});

test('a server that is no proxy is named', async () => {
  const plain = createTcpServer((socket) =>
    socket.resume().end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'),
  );
  await using server = await listening(plain);
  const proxy = new Secret(`http://127.0.0.1:${server.port}`);
  await expect(openTunnel({ proxy, host: 'c.example', port: 8444, signal: never })).rejects.toThrow(/404/);
});
