import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listen, makeCertificate, probeContract, runTest } from '../../testing/index.ts';
import {
  errorMessage,
  type PostgresServerSettings,
  readyMessage,
  resultMessages,
  servePostgres,
} from '../../testing/postgresql-server.ts';
import { postgresql } from './postgresql.ts';
import { messageOf } from './postgresql-messages.ts';

const login = { User: 'probe', Password: 'right' };
const one = () => resultMessages([['n', 23]], [['1']]);

probeContract({
  probe: postgresql,
  serverFirst: false,
  url: (port) => `127.0.0.1:${port}`,
  options: { ...login, Query: 'select 1', ExpectResult: '1' },
  serve: (socket) => servePostgres(socket, { query: one }),
  withSecret: (port, secret) => ({
    url: `postgresql://probe:${encodeURIComponent(secret)}@127.0.0.1:${port}/db`,
    options: { Password: secret, TLS: { ClientKey: secret } },
  }),
});

const serving = (settings: PostgresServerSettings = {}) =>
  listen((socket) => servePostgres(socket, settings));

describe('PostgreSQL without a login', () => {
  test.each(['scram', 'md5', 'password', 'trust', 'gss'] as const)(
    'a server that answers with %s is good',
    async (auth) => {
      await using server = await serving({ auth });
      const seen = await runTest(postgresql, server.target);
      expect(seen, seen.text).toMatchObject({ code: 1, text: 'PostgreSQL answers' });
      expect(seen.phases.ttfb).toBeGreaterThan(0);
    },
  );

  test.each([
    ['28000', 'role "vantage" does not exist', 1, 'PostgreSQL answers'],
    ['57P03', 'the database system is starting up', 3, 'the server takes no logins now: error 57P03:'],
    ['53300', 'sorry, too many clients already', 3, 'the server takes no logins now: error 53300:'],
  ])('the error %s "%s" is %i', async (code, text, result, shown) => {
    await using server = await serving({ refusal: errorMessage(code, text) });
    expect(await runTest(postgresql, server.target)).toMatchObject({
      code: result,
      text: expect.stringContaining(shown),
    });
  });

  test.each([{ Query: 'select 1' }, { Database: 'shop' }, { ExpectRole: 'primary' }])(
    '%j needs one',
    async (options) => {
      await using server = await serving();
      const seen = await runTest(postgresql, server.target, options);
      expect(seen).toMatchObject({
        code: 8,
        text: 'a query, role or database needs a login: set User and Password',
      });
      expect(server.hits).toBe(0);
    },
  );
});

describe('PostgreSQL logs in', () => {
  test.each([
    ['scram', 'SCRAM-SHA-256'],
    ['md5', 'md5'],
    ['trust', 'none'],
  ] as const)('by %s', async (auth, name) => {
    await using server = await serving({ auth });
    const seen = await runTest(postgresql, server.target, login);
    expect(seen, seen.text).toMatchObject({
      code: 1,
      text: 'PostgreSQL 16.3, login accepted',
      extended: { Auth: name, Version: '16.3' },
    });
    await server.idle();
    if (auth === 'trust') return;
    expect(await runTest(postgresql, server.target, { ...login, Password: 'wrong' })).toMatchObject({
      code: 8,
      text: 'login refused: error 28P01: "password authentication failed for user "probe""',
    });
  });

  test.each(['scram', 'password'] as const)('by %s over TLS', async (auth) => {
    const tls = makeCertificate();
    await using server = await serving({ auth, tls });
    const options = { ...login, TLS: { Mode: 'StartTLS', CA: tls.cert } };
    const seen = await runTest(postgresql, server.target, options);
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(seen.phases.ssl).toBeGreaterThan(0);
    expect(await runTest(postgresql, server.target, { ...login, TLS: { Mode: 'StartTLS' } })).toMatchObject({
      code: 6,
      text: 'certificate for 127.0.0.1 is self-signed',
    });
  });

  test.each([
    [{ auth: 'password' }, login, 'the server wants the password in clear, which is sent over TLS only'],
    [{ auth: 'gss' }, login, 'the server wants the login method GSSAPI, which is not known here'],
    [{}, { User: 'probe' }, 'the server wants a password: set Password'],
    [{ imposter: 'wrong' }, login, 'the server did not prove that it knows the password'],
    [{ imposter: 'silent' }, login, 'the server did not prove that it knows the password'],
    [
      { iterations: 2_000_000_000 },
      login,
      'the server wants 2000000000 rounds of SCRAM, at most 200000 are made',
    ],
  ] as const)('%j is refused', async (settings, options, why) => {
    await using server = await serving(settings);
    const seen = await runTest(postgresql, server.target, options);
    expect(seen).toMatchObject({ code: 8, text: `login refused: ${why}` });
  });

  test.each([
    ['3D000', 'database "x" does not exist', 7, 'the database does not open: error 3D000:'],
    ['28000', 'no pg_hba.conf entry for host "10.0.0.9", no encryption', 8, '; set TLS Mode to StartTLS'],
    ['57P03', 'the database system is starting up', 3, 'the server takes no logins now'],
  ])('the error %s is %i', async (code, text, result, shown) => {
    await using server = await serving({ refusal: errorMessage(code, text) });
    expect(await runTest(postgresql, server.target, login)).toMatchObject({
      code: result,
      text: expect.stringContaining(shown),
    });
  });

  test('TLS that a server does not offer is 6', async () => {
    await using server = await serving();
    const seen = await runTest(postgresql, server.target, { ...login, TLS: { Mode: 'StartTLS' } });
    expect(seen).toMatchObject({ code: 6, text: `${server.target} does not offer TLS` });
  });
});

describe('PostgreSQL asks', () => {
  test.each([
    { rows: [['42', 'fine']], expected: '42', code: 1 },
    { rows: [['42', null]], expected: '42\tNULL', code: 1 },
    { rows: [['142', 'x']], expected: '42', code: 7, text: 'expected "42", got "142\\tx"' },
    { rows: [], expected: '42', code: 7, text: 'expected "42", got no row' },
  ])('$rows with $expected expected is $code', async ({ rows, expected, code, text }) => {
    const columns = [
      ['n', 23],
      ['s', 25],
    ] as const;
    await using server = await serving({ query: () => resultMessages(columns, rows) });
    const seen = await runTest(postgresql, server.target, { ...login, Query: 'q', ExpectResult: expected });
    expect(seen, seen.text).toMatchObject({ code, extended: { Rows: rows.length }, ...(text && { text }) });
  });

  test('the numbers of the first row are values by their columns', async () => {
    const columns = [
      ['orders', 20],
      ['total', 1700],
      ['name', 25],
      ['orders', 23],
      ['empty', 23],
      ['odd', 701],
    ] as const;
    const row = ['12', '99.50', '7', '13', null, 'NaN'];
    await using server = await serving({ query: () => resultMessages(columns, [row, row]) });
    const seen = await runTest(postgresql, server.target, { ...login, Query: 'q' });
    expect(seen.values).toEqual([
      { Label: 'orders', Value: 12, Unit: '' },
      { Label: 'total', Value: 99.5, Unit: '' },
    ]);
  });

  test('several statements: the first result counts, an error of the second one is the query’s', async () => {
    const two = Buffer.concat([one(), resultMessages([['m', 23]], [['2']])]);
    await using good = await serving({ query: () => two });
    const asked = { ...login, Query: 'select 1; select 2', ExpectResult: '1' };
    expect(await runTest(postgresql, good.target, asked)).toMatchObject({ code: 1, extended: { Rows: 1 } });
    const late = Buffer.concat([one(), errorMessage('22012', 'division by zero')]);
    await using bad = await serving({ query: () => late });
    expect(await runTest(postgresql, bad.target, asked)).toMatchObject({
      code: 7,
      text: 'query failed: error 22012: "division by zero"',
    });
  });

  test.each([
    ['t', 'primary', 7, 'expected the role primary, got standby'],
    ['f', 'primary', 1, 'PostgreSQL 16.3, login accepted'],
    ['t', 'standby', 1, 'PostgreSQL 16.3, login accepted'],
  ])('a recovery of %s with %s expected is %i', async (recovery, ExpectRole, code, text) => {
    await using server = await serving({ query: () => resultMessages([['r', 16]], [[recovery]]) });
    expect(await runTest(postgresql, server.target, { ...login, ExpectRole })).toMatchObject({ code, text });
  });

  test('a server that wants data gets none', async () => {
    await using server = await serving({ query: () => messageOf('G', Buffer.alloc(3)) });
    expect(await runTest(postgresql, server.target, { ...login, Query: 'copy t from stdin' })).toMatchObject({
      code: 7,
      text: 'the query requests data (COPY FROM STDIN), which is not sent',
    });
  });

  test('an endless result ends at the timeout and is not kept', async () => {
    const rows = Array.from({ length: 300 }, () => ['x'.repeat(200)]);
    const result = resultMessages([['s', 25]], rows);
    await using server = await listen((socket: Socket) => {
      servePostgres(socket, {
        isEndless: true,
        query() {
          const more = () => {
            if (!socket.writable) return;
            if (socket.write(result)) setImmediate(more);
            else socket.once('drain', more);
          };
          setImmediate(more);
          return result;
        },
      });
    });
    const options = { ...login, Query: 'select' };
    const seen = await runTest(postgresql, server.target, options, { timeoutMs: 500 });
    expect(seen, seen.text).toMatchObject({ code: 2 });
    await server.idle();
  });
});

test.each([
  ['HTTP/1.1 400 Bad Request\r\n', 'no message of PostgreSQL'],
  [Buffer.from([82, 127, 255, 255, 255]), 'no message of PostgreSQL'],
  [Buffer.from([82, 0, 0, 0, 4]), 'no request for a login'],
  [readyMessage, 'no message of PostgreSQL'],
])('impossible bytes are 3 at once: %j', async (bytes, what) => {
  await using server = await listen((socket) => {
    socket.once('data', () => void socket.write(bytes));
  });
  const seen = await runTest(postgresql, server.target, login, { timeoutMs: 60_000 });
  expect(seen).toMatchObject({
    code: 3,
    text: `${server.target} sent ${what}: this is not the protocol expected`,
  });
});

test.each(['postgresql://h/a/b', 'postgresql://h/%zz', 'mysql://h', '-h'])('no URL is %s', (url) => {
  expect(postgresql.parseTarget(url).ok).toBe(false);
});

test('the port and the database are those of the URL', () => {
  expect(postgresql.parseTarget('postgres://me@db.example/shop')).toMatchObject({
    ok: true,
    target: { port: 5432, user: 'me', path: '/shop' },
  });
});
