import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listen, runTest, serveSite } from '../../testing/index.ts';
import { http } from './http.ts';

describe('HTTP with hostile servers', () => {
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
    const seen = await runTest(http, `http://${server.target}/`, {}, { timeoutMs: 2000 });
    expect(seen).toMatchObject({ code: 3, text: `${server.target} sends more than 64 KiB of headers` });
  });

  test('an endless body ends at its bound or the timeout, in little memory', async () => {
    await using server = await hostile((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      forever(socket, Buffer.alloc(65_536, 120));
    });
    const before = process.memoryUsage().rss;
    const seen = await runTest(http, `http://${server.target}/`, {}, { timeoutMs: 2000 });
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
