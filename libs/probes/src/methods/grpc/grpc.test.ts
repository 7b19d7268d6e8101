import { createServer as createTlsServer } from 'node:tls';
import { expect, test } from 'vitest';
import { grpcAnswer, healthAnswer, serveGrpc } from '../../testing/grpc-server.ts';
import { addressOf, listen, makeCertificate, probeContract, runTest } from '../../testing/index.ts';
import { grpc } from './grpc.ts';

probeContract({
  probe: grpc,
  serverFirst: false,
  url: (port) => `127.0.0.1:${port}`,
  options: { Service: 'shop.v1.Orders' },
  serve: serveGrpc(),
  withSecret: (port, secret) => ({
    url: `127.0.0.1:${port}`,
    options: {
      TLS: { ClientKey: secret },
      Metadata: { Authorization: secret.replaceAll(/[^ -~]/g, 'x') },
    },
  }),
});

test.each([
  [grpcAnswer(healthAnswer(1), 0), {}, 1, 'SERVING'],
  [grpcAnswer(healthAnswer(2), 0), {}, 7, 'expected SERVING, got NOT_SERVING'],
  [grpcAnswer(healthAnswer(2), 0), { ExpectStatus: 'NOT_SERVING' }, 1, 'NOT_SERVING'],
  [grpcAnswer(Buffer.alloc(5), 0), {}, 7, 'expected SERVING, got UNKNOWN'],
  [
    grpcAnswer(undefined, 5, 'unknown service'),
    { Service: 'a.B' },
    7,
    'the server does not know the service "a.B": "unknown service"',
  ],
  [grpcAnswer(undefined, 16, 'who%20are you?'), {}, 8, 'login refused: UNAUTHENTICATED: "who are you?"'],
  [grpcAnswer(undefined, 7), {}, 8, 'login refused: PERMISSION_DENIED'],
  [grpcAnswer(undefined, 12), {}, 3, 'PEER has no health service (grpc.health.v1.Health)'],
  [grpcAnswer(undefined, 14, 'shutting down'), {}, 3, 'PEER answers with UNAVAILABLE: "shutting down"'],
  [grpcAnswer(undefined, 99), {}, 3, 'PEER answers with "99"'],
  [grpcAnswer(Buffer.from('hello'), 0), {}, 3, 'PEER sent no answer of the health service'],
  [
    grpcAnswer(Buffer.concat([healthAnswer(1), healthAnswer(1)]), 0),
    {},
    3,
    'PEER sent no answer of the health service',
  ],
  [grpcAnswer(healthAnswer(1), 0, '', 'text/html'), {}, 3, 'PEER answers with "text/html", not in gRPC'],
])('an answer with %j is %2$i', async (pieces, options, code, text) => {
  await using server = await listen(serveGrpc(pieces));
  const seen = await runTest(grpc, server.target, options);
  expect(seen).toMatchObject({ code, text: text.replace('PEER', server.target) });
  await server.idle();
});

test('asks over TLS by grpcs://, and 6 where the certificate is not trusted', async () => {
  const { cert, key } = makeCertificate();
  const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => {});
    serveGrpc()(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `grpcs://127.0.0.1:${addressOf(server.address()).port}`;
  const seen = await runTest(grpc, url, { TLS: { CA: cert } });
  expect(seen, seen.text).toMatchObject({ code: 1, text: 'SERVING' });
  expect(seen.phases.ssl).toBeGreaterThan(0);
  expect(await runTest(grpc, url)).toMatchObject({
    code: 6,
    text: 'certificate for 127.0.0.1 is self-signed',
  });
  await new Promise((resolve) => server.close(resolve));
});

test('the phases: TTFB up to the headers, TTLB up to the status', async () => {
  await using server = await listen(serveGrpc());
  const { phases } = await runTest(grpc, server.target);
  expect(phases.ttfb).toBeGreaterThan(0);
  expect(phases.ttlb).toBeGreaterThanOrEqual(0);
});

test.each([
  [{ Metadata: { 'grpc-timeout': '1S' } }, 'Metadata'],
  [{ Metadata: { 'x-bin': 'AA==' } }, 'Metadata'],
  [{ Metadata: { 'x-a': 'two\nlines' } }, 'Metadata'],
  [{ Service: 'a b' }, 'Service'],
  [{ Authority: 'a/b' }, 'Authority'],
  [{ ExpectStatus: 'serving' }, 'ExpectStatus'],
])('the Options %j are refused by name', (options, name) => {
  expect(grpc.options.safeParse(options).error?.issues[0]?.path[0]).toBe(name);
});

test('the ports are those of the schemes', () => {
  expect(grpc.parseTarget('grpcs://api.example')).toMatchObject({ ok: true, target: { port: 443 } });
  expect(grpc.parseTarget('api.example')).toMatchObject({ ok: true, target: { port: 50_051 } });
  expect(grpc.parseTarget('grpc://me:pw@api.example')).toMatchObject({ ok: false });
});
