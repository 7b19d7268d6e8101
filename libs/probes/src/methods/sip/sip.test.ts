import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:tls';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import {
  addressOf,
  datagramContract,
  listen,
  makeCertificate,
  probeContract,
  runTest,
} from '../../testing/index.ts';
import { sipResponses, type TestSipServer } from '../../testing/sip-server.ts';
import { sip } from './sip.ts';

const withSecret = (port: number, secret: string) => ({
  url: `sip://127.0.0.1:${port}`,
  options: { TLS: { ClientKey: secret } },
});

datagramContract({
  probe: sip,
  answer: (message) => {
    const [text] = sipResponses(message.toString());
    return text === undefined ? undefined : Buffer.from(text);
  },
  url: (port) => `sip:127.0.0.1:${port}`,
  resendMs: 500,
  withSecret,
});

probeContract({
  probe: sip,
  serverFirst: false,
  url: (port) => `sip:127.0.0.1:${port}`,
  options: { Transport: 'TCP' },
  withSecret: (port, secret) => ({
    url: `sip:127.0.0.1:${port}`,
    options: { Transport: 'TCP', TLS: { ClientKey: secret } },
  }),
  serve: (socket) => {
    socket.on('data', (chunk) => {
      for (const text of sipResponses(chunk.toString())) socket.write(text);
    });
  },
});

/** A server over UDP; `lost`: the first requests that it does not hear. */
async function serveUdp(server: TestSipServer, lost = 0) {
  const socket = createSocket('udp4');
  const heard: { readonly text: string; readonly atMs: number }[] = [];
  const first = Promise.withResolvers<void>();
  socket.on('message', (message, from) => {
    heard.push({ text: message.toString(), atMs: performance.now() });
    first.resolve();
    if (heard.length <= lost) return;
    for (const text of sipResponses(message.toString(), server)) socket.send(text, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    target: `127.0.0.1:${addressOf(socket.address()).port}`,
    heard,
    reached: first.promise,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

describe('SIP', () => {
  test.each([
    [{}, {}, 1, '200 OK'],
    [{ provisional: '100 Trying' }, {}, 1, '200 OK'],
    [{ status: '404 Not Found' }, {}, 3, 'expected 200-299, got "404 Not Found"'],
    [{ status: '404 Not Found' }, { ExpectStatus: ['200-299', '404'] }, 1, '404 Not Found'],
    [{ status: '503 Overloaded' }, { ExpectStatus: ['200'] }, 3, 'expected 200, got "503 Overloaded"'],
    [{ status: '302 Moved' }, { ExpectStatus: ['200'] }, 7, 'expected 200, got "302 Moved"'],
    [
      { status: '407 Proxy Authentication Required' },
      {},
      3,
      'expected 200-299, got "407 Proxy Authentication Required": it demands a login for OPTIONS; if this is right, add 407 to ExpectStatus',
    ],
  ])('a server with %j and %j ends as %i', async (server, options, code, text) => {
    await using running = await serveUdp(server);
    const seen = await runTest(sip, `sip:${running.target}`, options, { timeoutMs: 60_000 });
    expect(seen, seen.text).toMatchObject({ code, text, extended: { Server: 'test-sip' } });
    expect(seen.extended['Headers'] !== undefined).toBe(code !== 1);
  });

  test('the request names the user, the sender, and the address of the agent', async () => {
    await using running = await serveUdp({});
    await runTest(sip, running.target, { User: '100', From: 'sip:me@example.org' });
    const text = running.heard[0]?.text ?? '';
    expect(text).toMatch(new RegExp(`^OPTIONS sip:100@${running.target} SIP/2.0\r\n`));
    expect(text).toMatch(/\r\nFrom: <sip:me@example.org>;tag=[0-9a-f]{12}\r\n/);
    expect(text).toMatch(/\r\nVia: SIP\/2.0\/UDP 127.0.0.1:\d+;branch=z9hG4bK[0-9a-f]{24};rport\r\n/);
  });

  test('over UDP the request is repeated after 0.5, 1 and 2 s', async () => {
    await using running = await serveUdp({}, 3);
    const clock = createFakeClock();
    const check = runTest(sip, running.target, {}, { timeoutMs: 60_000, clock });
    await running.reached;
    const seen = await advanceUntilEnded(clock, 50, check);
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(running.heard.length).toBeGreaterThanOrEqual(4);
    expect(new Set(running.heard.map(({ text }) => text)).size).toBe(1);
    expect(seen.phases.ttfb).toBeGreaterThanOrEqual(3_500);
  });

  test('over TCP a body is read, and answers to others are passed over', async () => {
    await using server = await listen((socket) => {
      socket.on('data', (chunk) => {
        const text = chunk.toString();
        const other = text.replace(/Call-ID: /, 'Call-ID: x');
        const replies = [
          '\r\n\r\n',
          ...sipResponses(other, { body: 'v=0\r\n' }),
          ...sipResponses(text, { body: 'SIP/2.0 500 No' }),
        ];
        socket.write(replies.join(''));
      });
    });
    const seen = await runTest(sip, server.target, { Transport: 'TCP' });
    expect(seen, seen.text).toMatchObject({ code: 1, text: '200 OK' });
  });

  test('over TLS, with the certificate verified', async () => {
    const { cert, key } = makeCertificate();
    const server = createServer({ cert, key }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        for (const text of sipResponses(chunk.toString())) socket.write(text);
      });
    });
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `sips:127.0.0.1:${addressOf(server.address()).port}`;
    const seen = await runTest(sip, url, { TLS: { CA: cert } });
    expect(seen, seen.text).toMatchObject({ code: 1, text: '200 OK' });
    expect(seen.phases.ssl).toBeGreaterThan(0);
    expect(await runTest(sip, url)).toMatchObject({ code: 6 });
    await new Promise((resolve) => server.close(resolve));
  });

  test.each([
    ['sip.example', 'sip.example', 5060, 'sip'],
    ['sip:sip.example', 'sip.example', 5060, 'sip'],
    ['sips:sip.example', 'sip.example', 5061, 'sips'],
    ['sip://[2001:db8::1]:5070', '2001:db8::1', 5070, 'sip'],
  ])('reads %s', (url, host, port, scheme) => {
    expect(sip.parseTarget(url)).toMatchObject({
      ok: true,
      target: { host, port, scheme, display: url, url },
    });
  });

  test.each([
    [{ From: 'me@example.org' }, 'From'],
    [{ From: 'sip:me@example.org>\r\nX: y' }, 'From'],
    [{ User: 'a b' }, 'User'],
    [{ ExpectStatus: ['100'] }, 'ExpectStatus.0'],
  ])('%j is refused at %s', (options, place) => {
    expect(sip.options.safeParse(options).error?.issues.map(({ path }) => path.join('.'))).toEqual([place]);
  });
});
