import { connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp, Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { mebibyte } from '@vantage/domain';
import { ConnectRequestSchema } from '@vantage/proto';
import { describe, expect, test, vi } from 'vitest';
import { hasty, nothing, soon, useGatewayFixture } from '../../src/agents/gateway/testing/gateway-fixture.ts';
import { issueIdentity } from '../../src/testing/agent-identity.ts';

const bench = useGatewayFixture();

function framed(message: Uint8Array, length = message.length): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

function hello(sessionCounter = 1n, version = '0.2.0'): Buffer {
  const value = { version, bootId: 'boot', sessionCounter, capacity: 1, hostName: 'host' };
  return framed(
    toBinary(ConnectRequestSchema, create(ConnectRequestSchema, { message: { case: 'hello', value } })),
  );
}

/** A stream by hand, over a connection of its own; `tls` is the one of the test's agent unless it is given. */
function openStream(url: string, tls = bench.tlsOf(bench.agent.identity)) {
  const connection = connect(url, tls);
  connection.on('error', () => {});
  const stream = connection.request({
    ':method': 'POST',
    ':path': '/vantage.v1.AgentService/Connect',
    'content-type': 'application/grpc+proto',
  });
  stream.on('error', () => {});
  stream.resume();
  const status = new Promise<number>((resolve) => {
    const see = (headers: IncomingHttpHeaders) => {
      const code = headers['grpc-status'];
      if (code !== undefined) resolve(Number(code));
    };
    stream.once('response', see);
    stream.once('trailers', see);
    stream.once('close', () => resolve(-1));
  });
  return {
    stream,
    connection,
    status,
    closed: new Promise<void>((resolve) => connection.once('close', resolve)),
    [Symbol.dispose]: () => connection.destroy(),
  };
}

/** The authority signed this certificate, and no agent has its key. */
async function unknown() {
  return bench.tlsOf((await issueIdentity(bench.authorities.signing)).identity);
}

describe('before a stream is a session', () => {
  test.each([
    ['no certificate', async () => bench.tlsOf()],
    ['an unknown certificate', unknown],
  ])(
    '%s is refused in the trailers by the handshake and the headers alone, then the connection closes',
    async (_what, tls) => {
      await using server = await bench.gatewayWith(nothing);
      using one = openStream(server.url, await tls());
      // No byte of the body is ever sent.
      expect(await one.status).toBe(Code.Unauthenticated);
      await one.closed;
    },
  );

  test('a message without a known certificate uses no memory of the gateway', async () => {
    await using server = await bench.gatewayWith(nothing);
    let received = 0;
    server.onSocket((socket) => {
      received += socket.bytesRead;
    });
    const tls = await unknown();
    const streams = Array.from({ length: 20 }, () => openStream(server.url, tls));
    for (const { stream } of streams) stream.write(framed(Buffer.alloc(mebibyte), 32 * mebibyte));
    for (const one of streams) expect(await one.status).toBe(Code.Unauthenticated);
    for (const one of streams) await one.closed;
    await vi.waitFor(() => expect(received).toBeGreaterThan(0), soon);
    // The window of HTTP/2 is 64 KiB a connection.
    expect(received).toBeLessThan(20 * 128 * 1024);
  });

  test.each([
    ['a first message over 64 KiB', framed(Buffer.alloc(0), 64 * 1024 + 1), Code.ResourceExhausted],
    ['no Hello first', framed(Buffer.alloc(0)), Code.FailedPrecondition],
    ['what is no message', framed(Buffer.of(0x1a, 0xff, 0xff, 0xff, 0x7f)), Code.InvalidArgument],
  ])('%s is refused with a status, then the connection closes', async (_what, bytes, code) => {
    await using server = await bench.gatewayWith(nothing);
    using one = openStream(server.url);
    one.stream.write(bytes);
    expect(await one.status).toBe(code);
    await one.closed;
  });

  test('a message over 4 MiB ends the session with a status before it is read', async () => {
    await using server = await bench.gatewayWith(nothing);
    using one = openStream(server.url);
    one.stream.write(hello());
    one.stream.write(framed(Buffer.alloc(0), 4 * mebibyte + 1));
    expect(await one.status).toBe(Code.ResourceExhausted);
    await one.closed;
  });

  test('one agent has four streams at most', async () => {
    await using server = await bench.gatewayWith(nothing);
    const streams = Array.from({ length: 5 }, () => openStream(server.url));
    try {
      const statuses = streams.map(({ status }, i) => status.then((code) => ({ i, code })));
      expect((await Promise.race(statuses)).code).toBe(Code.ResourceExhausted);
    } finally {
      for (const one of streams) one[Symbol.dispose]();
    }
  });

  test('another path and another encoding are refused before the body is read', async () => {
    await using server = await bench.gatewayWith(nothing);
    for (const [path, type, expected] of [
      ['/x', 'application/grpc', 404],
      ['/vantage.v1.AgentService/Connect', 'application/grpc+json', 415],
    ] as const) {
      const connection = connect(server.url, bench.tlsOf());
      const closed = new Promise((resolve) => connection.once('close', resolve));
      const stream = connection.request({ ':method': 'POST', ':path': path, 'content-type': type });
      stream.on('error', () => {});
      const status = await new Promise((resolve) =>
        stream.once('response', (headers) => resolve(headers[constants.HTTP2_HEADER_STATUS])),
      );
      expect(status).toBe(expected);
      stream.resume();
      await closed;
    }
  });
});

describe('connections without a stream', () => {
  test.each(['silent', 'speaking HTTP/2 only'])('one that is %s is closed after a time', async (kind) => {
    await using server = await bench.gatewayWith(nothing, 'controller one', hasty);
    const { port } = new URL(server.url);
    const closed = Promise.withResolvers<void>();
    const peer =
      kind === 'silent' ? connectTcp(Number(port), '127.0.0.1') : connect(server.url, bench.tlsOf());
    peer.on('error', () => {});
    peer.once('close', () => closed.resolve());
    if (peer instanceof Socket) peer.resume();
    await closed.promise;
  });
});
