import { createServer as createServer2, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { listen, runTest, serveSite, startSite } from '../../testing/index.ts';
import { http } from './http.ts';

type HostileHttpStream = [
  what: string,
  serve: (stream: ServerHttp2Stream) => void,
  code: number,
  text: RegExp,
];

describe('HTTP with broken servers', () => {
  const hostile = (serve: (socket: Socket) => void) =>
    listen((socket) => void socket.once('data', () => serve(socket)));
  const forever = (socket: Socket, piece: string | Buffer) => {
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
  };

  test('endless headers end at once', async () => {
    await using server = await hostile((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      forever(socket, `X-More: ${'x'.repeat(1000)}\r\n`);
    });
    const seen = await runTest(http, `http://${server.target}/`, {}, { timeoutMs: 20_000 });
    expect(seen).toMatchObject({ code: 3, text: `${server.target} sends more than 64 KiB of headers` });
  });

  test('an endless body ends at its bound, in little memory', async () => {
    await using server = await hostile((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      forever(socket, Buffer.alloc(65_536, 120));
    });
    const before = process.memoryUsage().rss;
    const seen = await runTest(http, `http://${server.target}/`, {}, { timeoutMs: 20_000 });
    expect(seen.code).toBe(7);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('interim answers without end, and a body of single bytes, are given up', async () => {
    await using early = await hostile((socket) =>
      forever(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)),
    );
    const text = `${early.target} sends interim answers (1xx) without end`;
    expect(await runTest(http, `http://${early.target}/`, {}, { timeoutMs: 20_000 })).toMatchObject({
      code: 3,
      text,
    });
    await using crumbs = await hostile((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      forever(socket, '1\r\nx\r\n'.repeat(5000));
    });
    const seen = await runTest(http, `http://${crumbs.target}/`, {}, { timeoutMs: 20_000 });
    expect(seen).toMatchObject({
      code: 3,
      text: `${crumbs.target} sends its body in more than 100000 pieces`,
    });
  });

  test('a hundred interim answers are taken, one more is too many, in HTTP/1.1 and HTTP/2', async () => {
    for (const [interim, code] of [
      [100, 1],
      [101, 3],
    ] as const) {
      await using one = await hostile(
        (socket) =>
          void socket.end(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(interim)}HTTP/1.1 200 OK\r\n\r\n`),
      );
      expect(await runTest(http, `http://${one.target}/`)).toMatchObject({ code });
      const server = createServer2();
      server.on('stream', (stream) => {
        for (let at = 0; at < interim; at += 1) stream.additionalHeaders({ ':status': 103 });
        stream.respond({ ':status': 200 }, { endStream: true });
      });
      await using two = await startSite(server, 'http');
      expect(await runTest(http, two.url, { HTTPVersion: '2' })).toMatchObject({ code });
    }
  });

  test.each<[string, (socket: Socket) => void, string]>([
    ['before its answer, resets', (socket) => void socket.resetAndDestroy(), 'connection reset by PEER'],
    [
      'before its answer, ends',
      (socket) => void socket.end(),
      'PEER closed the connection before it answered',
    ],
    [
      'within its body, resets',
      (socket) =>
        void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', () =>
          setTimeout(() => socket.resetAndDestroy(), 20),
        ),
      'connection reset by PEER',
    ],
  ])('a server that, %s the connection is told apart', async (_what, serve, text) => {
    await using server = await hostile(serve);
    const seen = await runTest(http, `http://${server.target}/`);
    expect(seen).toMatchObject({ code: 3, text: text.replace('PEER', server.target) });
  });

  test.each<HostileHttpStream>([
    [
      'refuses a request',
      (stream) => stream.close(2),
      3,
      / ended the request with the HTTP\/2 error INTERNAL_ERROR$/,
    ],
    [
      'breaks a body off',
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.write('half', () => stream.destroy(new Error('broken')));
      },
      3,
      / broke the rules of HTTP in its body \(.*NGHTTP2_INTERNAL_ERROR.*\)$/,
    ],
    ...[undefined, 'gzip'].map(
      (encoding): HostileHttpStream => [
        `cuts the connection within a body (${encoding ?? 'plain'})`,
        (stream) => {
          stream.respond({ ':status': 200, ...(encoding && { 'content-encoding': encoding }) });
          stream.write(gzipSync('half').subarray(0, 12), () => stream.session?.destroy());
        },
        3,
        / closed the connection before its answer was complete$/,
      ],
    ),
    ['ends the session', (stream) => stream.session?.goaway(1), 3, / ended the HTTP\/2 session \(error 1\)$/],
    [
      'ends the session in order, after this request',
      (stream) => {
        stream.session?.goaway(0, stream.id);
        stream.respond({ ':status': 200 }, { endStream: true });
      },
      1,
      /^200 OK$/,
    ],
  ])('a server that %s by HTTP/2 is told apart', async (_what, serve, code, text) => {
    const server = createServer2();
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      serve(stream);
    });
    await using site = await startSite(server, 'http');
    const seen = await runTest(http, site.url, { HTTPVersion: '2' });
    expect(seen.text).toMatch(text);
    expect(seen.code).toBe(code);
  });

  test('HTTP/1.0 is HTTP', async () => {
    await using server = await hostile((socket) => void socket.end('HTTP/1.0 200 Fine\r\n\r\nhi'));
    const seen = await runTest(http, `http://${server.target}/`, { ExpectText: 'hi' });
    expect(seen).toMatchObject({ code: 1, text: '200 Fine', extended: { Version: 'HTTP/1.0' } });
  });

  test('what is no HTTP is quoted', async () => {
    await using server = await hostile((socket) => void socket.write('220 mail.example ESMTP\r\n'));
    const seen = await runTest(http, `http://${server.target}/`);
    expect(seen.code).toBe(3);
    expect(seen.text).toMatch(/ does not answer in HTTP \(.+\): it begins with "220 mail\.example ESMTP"$/);
    expect(seen.extended).toMatchObject({ FirstBytes: '"220 mail.example ESMTP"' });
  });

  test('a body that breaks the rules is no early close', async () => {
    await using server = await hostile(
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    );
    const seen = await runTest(http, `http://${server.target}/`);
    expect(seen.code).toBe(3);
    expect(seen.text).toMatch(/ broke the rules of HTTP in its body \(.+chunk.+\)$/);
  });

  test('a body that breaks off is 3', async () => {
    await using server = await hostile(
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf'),
    );
    const seen = await runTest(http, `http://${server.target}/`);
    expect(seen).toMatchObject({
      code: 3,
      text: `${server.target} closed the connection before its answer was complete`,
    });
  });

  test('a password that the server sends back is masked', async () => {
    await using server = await serveSite((request, response) => {
      response
        .writeHead(500, {
          'X-Echo': request.headers.authorization ?? '',
          'Set-Cookie': ['sid=cookie-77; Path=/; Expires=Wed, 21 Oct 2037 07:28:00 GMT', 'b=cookie-78'],
        })
        .end('your password is sesame');
    });
    const seen = await runTest(http, server.url, { User: 'u', Password: 'sesame' });
    expect(seen.extended).toMatchObject({
      Body: 'your password is ***',
      Headers: { 'set-cookie': 'sid=***; Path=/; Expires=Wed, 21 Oct 2037 07:28:00 GMT, b=***' },
    });
    expect(JSON.stringify(seen)).not.toContain(Buffer.from('u:sesame').toString('base64'));
  });
});
