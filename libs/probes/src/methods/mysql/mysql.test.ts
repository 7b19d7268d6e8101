import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listen, makeCertificate, probeContract, runTest } from '../../testing/index.ts';
import {
  errorPacket,
  greetingPacket,
  type MysqlServerSettings,
  resultPackets,
  serveMysql,
} from '../../testing/mysql-server.ts';
import { mysql } from './mysql.ts';
import { packetOf } from './mysql-packets.ts';

probeContract({
  probe: mysql,
  serverFirst: true,
  url: (port) => `127.0.0.1:${port}`,
  options: { User: 'probe', Password: 'right' },
  serve: (socket) => serveMysql(socket),
  withSecret: (port, secret) => ({
    url: `mysql://probe:${encodeURIComponent(secret)}@127.0.0.1:${port}/db`,
    options: { Password: secret, TLS: { ClientKey: secret } },
  }),
});

const login = { User: 'probe', Password: 'right' };
const serving = (settings: MysqlServerSettings) => listen((socket) => serveMysql(socket, settings));
/** A server that greets, lets everybody in and answers the first query with these bytes. */
const answeringQuery = (answer: (socket: Socket) => void) =>
  listen((socket) => {
    const nonce = Buffer.alloc(20, 7);
    socket.write(packetOf(0, greetingPacket(nonce, 'mysql_native_password', false)));
    socket.once('data', () => {
      socket.write(packetOf(2, Buffer.from([0, 0, 0, 2, 0, 0, 0])));
      socket.once('data', () => answer(socket));
    });
  });

describe('MySQL', () => {
  test('without a login a refusal is an answer too', async () => {
    await using server = await serving({});
    const seen = await runTest(mysql, server.target);
    expect(seen, seen.text).toMatchObject({ code: 1, text: '8.0.36-test answers' });
    expect(seen.phases.ttfb).toBeGreaterThan(0);
    expect(seen.phases.ttlb).toBeGreaterThan(0);
  });

  test.each(['client_ed25519', 'mysql_clear_password'])(
    'a demand for %s is an answer to nobody in particular, and a login refused else',
    async (plugin) => {
      await using server = await serving({ user: 'vantage', plugin, suggests: 'mysql_native_password' });
      const seen = await runTest(mysql, server.target);
      expect(seen, seen.text).toMatchObject({ code: 1, text: '8.0.36-test answers' });
      expect(await runTest(mysql, server.target, { ...login, User: 'vantage' })).toMatchObject({ code: 8 });
    },
  );

  test.each([
    { name: 'mysql_native_password', settings: {} },
    { name: 'caching_sha2_password, cached', settings: { plugin: 'caching_sha2_password' } },
    { name: 'caching_sha2_password by RSA', settings: { plugin: 'caching_sha2_password', cached: false } },
    { name: 'a switch to the method of the user', settings: { suggests: 'caching_sha2_password' } },
    {
      name: 'a switch from an unknown method',
      settings: { suggests: 'auth_gssapi_client', plugin: 'caching_sha2_password' },
    },
  ])('logs in by $name', async ({ settings }) => {
    await using server = await serving(settings);
    const seen = await runTest(mysql, server.target, login);
    expect(seen, seen.text).toMatchObject({ code: 1, text: '8.0.36-test, login accepted' });
    expect(await runTest(mysql, server.target, { ...login, Password: 'wrong' })).toMatchObject({
      code: 8,
      text: `login refused: error 1045: "Access denied for user 'probe'@'localhost'"`,
    });
  });

  test.each(['caching_sha2_password', 'mysql_clear_password', 'mysql_native_password'])(
    'logs in by %s over TLS',
    async (plugin) => {
      const tls = makeCertificate();
      await using server = await serving({ plugin, cached: false, tls, suggests: 'mysql_native_password' });
      const seen = await runTest(mysql, server.target, { ...login, TLS: { Mode: 'StartTLS', CA: tls.cert } });
      expect(seen, seen.text).toMatchObject({ code: 1, extended: { Auth: plugin } });
      expect(seen.phases.ssl).toBeGreaterThan(0);
    },
  );

  test('never sends the password in clear without TLS', async () => {
    await using server = await serving({ suggests: 'mysql_native_password', plugin: 'mysql_clear_password' });
    const seen = await runTest(mysql, server.target, login);
    expect(seen).toMatchObject({
      code: 8,
      text: 'login refused: the server wants the password in clear, which is sent over TLS only',
    });
  });

  test('is 6 where TLS is wanted and not offered, or its certificate is not trusted', async () => {
    await using plain = await serving({});
    const wanted = { ...login, TLS: { Mode: 'StartTLS' } };
    expect(await runTest(mysql, plain.target, wanted)).toMatchObject({
      code: 6,
      text: `${plain.target} does not offer TLS`,
    });
    await using server = await serving({ tls: makeCertificate() });
    const seen = await runTest(mysql, server.target, wanted);
    expect(seen).toMatchObject({ code: 6, text: 'certificate for 127.0.0.1 is self-signed' });
  });

  test.each([
    { rows: [['42', 'fine']], expected: '42', code: 1 },
    { rows: [['42', null]], expected: '42\tNULL', code: 1 },
    { rows: [['142']], expected: '42', code: 7, text: 'expected "42", got "142"' },
    { rows: [], expected: '42', code: 7, text: 'expected "42", got no row' },
    { rows: [['42'], ['43']], expected: undefined, code: 1 },
  ])('a query that brings $rows with $expected expected is $code', async ({ rows, expected, code, text }) => {
    const received: Buffer[] = [];
    await using server = await serving({ query: () => resultPackets(rows), received });
    const options = {
      ...login,
      Query: 'SELECT 1',
      ...(expected !== undefined && { ExpectResult: expected }),
    };
    const seen = await runTest(mysql, server.target, options);
    expect(seen, seen.text).toMatchObject({ code, extended: { Rows: rows.length }, ...(text && { text }) });
    expect(received[0]?.toString()).toBe('\x03SELECT 1');
    await server.idle();
    if (code === 1) expect(received.at(-1)).toEqual(Buffer.from([1]));
  });

  test('a query that the server refuses is 7 with its words', async () => {
    await using server = await serving({ query: () => [errorPacket(1146, "Table 'x' doesn't exist")] });
    const seen = await runTest(mysql, server.target, { ...login, Query: 'SELECT * FROM x' });
    expect(seen).toMatchObject({ code: 7, text: `query failed: error 1146: "Table 'x' doesn't exist"` });
  });

  test('a server that asks for a local file gets nothing', async () => {
    const received: Buffer[] = [];
    await using server = await answeringQuery((socket) => {
      socket.write(packetOf(1, Buffer.from('\xfb/etc/passwd', 'latin1')));
      socket.on('data', (chunk: Buffer) => received.push(chunk));
    });
    const seen = await runTest(mysql, server.target, { ...login, Query: 'SELECT 1' });
    expect(seen).toMatchObject({
      code: 3,
      text: `${server.target} requests this agent's file "/etc/passwd", which is not sent`,
    });
    await server.idle();
    expect(received).toEqual([]);
  });

  test('an endless result ends at the timeout and is not kept', async () => {
    await using server = await answeringQuery((socket) => {
      const row = packetOf(9, Buffer.concat([Buffer.from([200]), Buffer.alloc(200, 'x')]));
      const rows = Buffer.concat(Array.from({ length: 300 }, () => row));
      for (const payload of resultPackets([]).slice(0, 3)) socket.write(packetOf(1, payload));
      const more = () => {
        if (!socket.writable) return;
        if (socket.write(rows)) setImmediate(more);
        else socket.once('drain', more);
      };
      more();
    });
    const seen = await runTest(mysql, server.target, { ...login, Query: 'SELECT 1' }, { timeoutMs: 500 });
    expect(seen, seen.text).toMatchObject({ code: 2 });
    await server.idle();
  });

  test.each([
    { bytes: 'SSH-2.0-OpenSSH_9.2\r\n', what: 'a first packet of 4739923 bytes' },
    { bytes: '\x10\0\0\x07\x0a', what: 'no MySQL greeting' },
    { bytes: '\x10\0\0\0\0', what: 'no MySQL greeting' },
    { bytes: '\0\0\0\0\x0a', what: 'no MySQL greeting' },
    { bytes: '\x04\0\0\0\x0a8.0', what: 'no MySQL greeting' },
  ])('impossible opening bytes are 3 at once: $what', async ({ bytes, what }) => {
    await using server = await listen((socket) => void socket.write(Buffer.from(bytes, 'latin1')));
    const startedMs = performance.now();
    const seen = await runTest(mysql, server.target, {}, { timeoutMs: 60_000 });
    const text = `${server.target} sent ${what}: this is not the protocol expected`;
    expect(seen).toMatchObject({ code: 3, text });
    expect(performance.now() - startedMs).toBeLessThan(30_000);
  });

  test.each([
    { code: 1040, message: 'Too many connections', result: 3 },
    { code: 1130, message: "Host '10.0.0.9' is not allowed", result: 8 },
  ])('an error $code instead of a greeting is $result', async ({ code, message, result }) => {
    await using server = await listen((socket) => void socket.end(packetOf(0, errorPacket(code, message))));
    const seen = await runTest(mysql, server.target, login);
    expect(seen).toMatchObject({
      code: result,
      text: `${server.target} takes no connection from this agent: error ${code}: "${message}"`,
    });
  });

  test.each([
    { url: 'mysql://h/a/b', options: {}, message: 'the path is no database name' },
    { url: 'mysql://h/%zz', options: {}, message: 'the path is no database name' },
    { url: '-h', options: {}, message: "a host never begins with '-'" },
  ])('accepts no URL like $url', ({ url, message }) => {
    const found = mysql.parseTarget(url);
    expect(found.ok ? '' : found.message).toContain(message);
  });

  test('a query without a login is 8 before anything is asked', async () => {
    await using server = await serving({});
    const seen = await runTest(mysql, server.target, { Query: 'SELECT 1' });
    expect(seen).toMatchObject({ code: 8, text: 'a query or database needs a login: set User and Password' });
    expect(server.hits).toBe(0);
  });
});

test('a database that is not there is an expectation, not a login', async () => {
  const refusal = packetOf(2, errorPacket(1049, "Unknown database 'x'"));
  await using server = await listen((socket) => {
    const write = socket.write.bind(socket);
    let said = 0;
    const replaced = (bytes: Buffer) => {
      said += 1;
      return write(said === 1 ? bytes : refusal);
    };
    Object.assign(socket, { write: replaced });
    serveMysql(socket);
  });
  const wanted = { User: 'probe', Password: 'right', Database: 'x' };
  const text = `the database does not open: error 1049: "Unknown database 'x'"`;
  expect(await runTest(mysql, server.target, wanted)).toMatchObject({ code: 7, text });
});
