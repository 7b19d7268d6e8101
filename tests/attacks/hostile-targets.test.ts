// Targets of one account attack the agent that checks them.
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { addHostile, checkNow, firstCheck, removeHostile } from './harness/devices.ts';
import { scenes } from './harness/shared.ts';

interface Served extends AsyncDisposable {
  readonly port: number;
}

async function listen(server: Server): Promise<Served> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes the same piece while the client reads, at most 64 MiB. */
function pour(socket: Socket, piece: string | Buffer): void {
  let left = Math.floor((64 * 1024 * 1024) / piece.length);
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(piece)) return;
    }
  };
  socket.on('drain', more);
  more();
}

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
const manners: [what: string, serve: (socket: Socket) => void][] = [
  ['headers without end', (socket) => pour(socket, `${head}X-A: ${'a'.repeat(10_000)}\r\n`)],
  ['a header without end', (socket) => pour(socket, `X${'a'.repeat(60_000)}`)],
  [
    'a body without end',
    (socket) => {
      socket.write(`${head}\r\n`);
      pour(socket, '[1,'.repeat(20_000));
    },
  ],
  [
    'a body that grows',
    (socket) =>
      void socket.write(
        Buffer.concat([
          Buffer.from(`${head}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`),
          bomb,
        ]),
      ),
  ],
  [
    'redirects without end',
    (socket) => void socket.write('HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n'),
  ],
  [
    'interim answers without end',
    (socket) => pour(socket, 'HTTP/1.1 103 E\r\nLink: <a>\r\n\r\n'.repeat(1_000)),
  ],
  ['silence', () => {}],
];

test('targets that answer without end cost their agent a bounded amount', async () => {
  await scenes.play('hostile targets', async (fixture) => {
    await using held = new AsyncDisposableStack();
    const devices = await Promise.all(
      manners
        .flatMap((manner) => [manner, manner, manner])
        .map(async ([what, serve]): Promise<[string, string]> => {
          const { port } = held.use(
            await listen(createServer((socket) => socket.once('data', () => serve(socket)))),
          );
          const target = { Method: 'HTTP', URL: `http://127.0.0.1:${port}/`, Timeout: 3 };
          const id = await addHostile(fixture, target);
          return [what, id ?? ''];
        }),
    );
    await Promise.all(
      devices.map(async ([what, id]) => {
        expect((await checkNow(fixture, id)).code, what).not.toBe(1);
        await removeHostile(fixture, id);
      }),
    );
  });
});

const megabyte = JSON.stringify({
  a: Array.from({ length: 250 }, () => Array.from({ length: 1_000 }, () => 1)),
});
const paths = [
  `$.a[*][${'*,'.repeat(200)}*]`,
  `$[${'*,'.repeat(200)}*][*][*]`,
  `$${'..*'.repeat(10)}`,
  `$..[?(@..*)]`,
  `$.a[${Array.from({ length: 200 }, () => '::').join(',')}][*]`,
];

test('a JSONPath that multiplies its values is refused or ended', async () => {
  await scenes.play('hostile JSONPaths', async (fixture) => {
    const server = createHttpServer((_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(megabyte);
    });
    await using served = await listen(server);
    const url = `http://127.0.0.1:${served.port}/`;
    for (const path of paths) {
      const Options = { ExpectJSONPath: path, ExpectJSONValue: '2' };
      const id = await addHostile(fixture, { Method: 'HTTP', URL: url, Options });
      if (id === undefined) continue;
      expect((await checkNow(fixture, id)).code, path).not.toBe(1);
      await removeHostile(fixture, id);
    }
    const plain = await addHostile(fixture, {
      Method: 'HTTP',
      URL: url,
      Options: { ExpectJSONPath: '$.a[0][0]' },
    });
    expect(plain && (await checkNow(fixture, plain)).code).toBe(1);
  });
});

test('a check sends a filled-in secret to no other origin', async () => {
  const { fixture } = scenes;
  const value = 'sentinel-8d0f3c5b';
  const answer = await fixture.hostile.api.call('POST', '/secrets', { Name: 'sentinel', Value: value });
  expect(answer.status, answer.text).toBe(200);
  let heard = '';
  await using catcher = await listen(
    createServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.toString('latin1');
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      });
    }),
  );
  const redirect = `HTTP/1.1 307 T\r\nLocation: http://127.0.0.1:${catcher.port}/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
  await using sender = await listen(
    createServer((socket) => socket.once('data', () => socket.end(redirect))),
  );
  const reference = '$' + '{secret:sentinel}';
  const all = [
    { Headers: { 'X-Token': reference } },
    { Headers: { Accept: `a/${reference}` } },
    { Method: 'POST', Body: reference },
    { User: 'user', Password: reference },
    { Headers: { Cookie: `a=${reference}` } },
  ];
  await Promise.all(
    all.map(async (Options) => {
      const target = { Method: 'HTTP', URL: `http://127.0.0.1:${sender.port}/`, Options };
      const id = await addHostile(fixture, target);
      expect(id, JSON.stringify(Options)).toBeDefined();
      expect((await firstCheck(fixture, id ?? '')).text).toBe('200 OK');
      await removeHostile(fixture, id ?? '');
    }),
  );

  expect(heard).not.toContain(value);
  expect(heard).not.toContain(Buffer.from(`user:${value}`).toString('base64'));
});
