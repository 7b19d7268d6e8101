import { expect, test } from 'vitest';
import { listen, makeCertificate, probeContract, runTest, speakLines } from '../../testing/index.ts';
import { bulk, type RedisServerSettings, serveRedis } from '../../testing/redis-server.ts';
import { secureServer } from '../../testing/secure-server.ts';
import { redis } from './redis.ts';

probeContract({
  probe: redis,
  serverFirst: false,
  url: (port) => `127.0.0.1:${port}`,
  options: { Password: 'right', Command: 'LLEN jobs' },
  serve: (socket) => serveRedis(socket, { password: 'right', answer: () => ':5\r\n' }),
  withSecret: (port, secret) => ({
    url: `redis://probe:${encodeURIComponent(secret)}@127.0.0.1:${port}/1`,
    options: { Password: secret, TLS: { ClientKey: secret } },
  }),
});

const serving = (settings: RedisServerSettings = {}) => listen((socket) => serveRedis(socket, settings));

test('PONG, the role and the figures of INFO', async () => {
  await using server = await serving();
  const seen = await runTest(redis, server.target);
  expect(seen, seen.text).toMatchObject({
    code: 1,
    text: 'PONG, master',
    extended: { Version: '7.2.5', Role: 'master' },
    values: [
      { Label: 'Connected clients', Value: 3, Unit: '' },
      { Label: 'Blocked clients', Value: 0, Unit: '' },
      { Label: 'Used memory', Value: 1_048_576, Unit: 'B' },
      { Label: 'Memory use', Value: 25, Unit: '%' },
      { Label: 'Operations', Value: 12, Unit: '/s' },
      { Label: 'Replicas', Value: 1, Unit: '' },
      { Label: 'Replication lag', Value: 1, Unit: 's' },
    ],
  });
  expect(seen.phases.ttfb).toBeGreaterThan(0);
  expect(seen.phases.ttlb).toBeGreaterThan(0);
});

test.each([
  ['no login', {}, 1, /^Redis answers, and requires a login$/],
  ['a command without a login', { Command: 'GET a' }, 8, /^login refused: "NOAUTH .*"; set Password$/],
  ['a role without a login', { ExpectRole: 'master' }, 8, /^login refused: "NOAUTH .*"; set Password$/],
  ['a wrong password', { Password: 'not-it' }, 8, /^login refused: "WRONGPASS/],
  ['the password', { Password: 'right' }, 1, /^PONG, master$/],
  ['user and password', { User: 'default', Password: 'right' }, 1, /^PONG, master$/],
  ['a user whom the server does not know', { User: 'me', Password: 'right' }, 8, /^login refused/],
  ['a database', { Password: 'right', Database: 3 }, 1, /^PONG, master$/],
  [
    'a database out of range',
    { Password: 'right', Database: 99 },
    7,
    /^database 99 does not open: "ERR DB index/,
  ],
])('%s', async (_name, options, code, text) => {
  await using server = await serving({ password: 'right' });
  const seen = await runTest(redis, server.target, options);
  expect(seen).toMatchObject({ code, text: expect.stringMatching(text) });
});

test('a password for a server that has none is refused, and never shown', async () => {
  const received: (readonly string[])[] = [];
  await using server = await serving({ received });
  const seen = await runTest(redis, `redis://:sesame%2F9@${server.target}/2`);
  expect(seen).toMatchObject({ code: 8, text: expect.stringContaining('without any password configured') });
  expect(received).toEqual([['AUTH', 'sesame/9']]);
  expect(JSON.stringify(seen)).not.toContain('sesame');
});

test.each([
  { reply: ':7\r\n', expected: '7', code: 1, value: 7 },
  { reply: bulk('3.5'), expected: undefined, code: 1, value: 3.5 },
  { reply: bulk('ready ✓'), expected: 'ready ✓', code: 1 },
  { reply: '$-1\r\n', expected: 'NULL', code: 1 },
  { reply: `*2\r\n${bulk('a')}:1\r\n`, expected: 'a\t1', code: 1 },
  { reply: ':8\r\n', expected: '7', code: 7, text: 'expected "7", got "8"', value: 8 },
  { reply: '-ERR unknown', expected: '7', code: 7, text: 'the command is refused: "ERR unknown"' },
  { reply: '-LOADING busy', expected: '7', code: 3, text: 'the command is refused: "LOADING busy"' },
  { reply: '-NOPERM no', expected: '7', code: 8, text: 'login refused: "NOPERM no"' },
])('the reply $reply with $expected expected is $code', async ({ reply, expected, code, text, value }) => {
  const received: (readonly string[])[] = [];
  const answer = () => (reply.endsWith('\r\n') ? reply : `${reply}\r\n`);
  await using server = await serving({ answer, received });
  const options = {
    Command: 'GET "a key"',
    Info: false,
    ...(expected !== undefined && { ExpectValue: expected }),
  };
  const seen = await runTest(redis, server.target, options);
  expect(seen, seen.text).toMatchObject({ code, ...(text !== undefined && { text }) });
  expect(seen.values).toEqual(value === undefined ? undefined : [{ Label: 'Reply', Value: value, Unit: '' }]);
  expect(received).toEqual([['PING'], ['GET', 'a key']]);
});

const replica = 'role:slave\r\nmaster_link_status:up\r\nmaster_last_io_seconds_ago:8\r\n';
const cut = 'role:slave\r\nmaster_link_status:down\r\nmaster_last_io_seconds_ago:-1\r\n';

test.each([
  [replica, { ExpectRole: 'replica' }, 1, 'PONG, replica'],
  [replica, { ExpectRole: 'master' }, 7, 'expected the role master, got replica'],
  [replica, { MaxReplicationLagSeconds: 5 }, 7, 'the replication lags by 8 s, at most 5 s'],
  [replica, { MaxReplicationLagSeconds: 8 }, 1, 'PONG, replica'],
  [cut, { ExpectRole: 'replica' }, 7, 'the replica is not connected to its master'],
  [cut, {}, 1, 'PONG, replica'],
  ['role:master\r\n', { MinReplicas: 1 }, 7, '0 of at least 1 replicas are online'],
  [null, { MinReplicas: 1 }, 8, expect.stringContaining('NOPERM')],
  [null, {}, 1, 'PONG'],
])('INFO %j with %j is %i', async (info, options, code, text) => {
  await using server = await serving({ info });
  expect(await runTest(redis, server.target, options)).toMatchObject({ code, text });
});

test('a server that still loads its data is 3', async () => {
  await using server = await listen(
    speakLines({ answer: (line) => (line === 'PING' ? '-LOADING Redis is loading' : undefined) }),
  );
  expect(await runTest(redis, server.target)).toMatchObject({
    code: 3,
    text: 'expected PONG, got "LOADING Redis is loading"',
  });
});

test('speaks TLS by rediss://, and 6 where the certificate is not trusted', async () => {
  const tls = makeCertificate();
  await using server = await listen(secureServer(tls, (socket) => serveRedis(socket)));
  const seen = await runTest(redis, `rediss://${server.target}`, { TLS: { CA: tls.cert } });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  expect(seen.phases.ssl).toBeGreaterThan(0);
  expect(await runTest(redis, `rediss://${server.target}`)).toMatchObject({
    code: 6,
    text: 'certificate for 127.0.0.1 is self-signed',
  });
});

test('another protocol is 3 at once', async () => {
  await using server = await listen(speakLines({ answer: () => 'HTTP/1.1 400 Bad Request' }));
  expect(await runTest(redis, server.target)).toMatchObject({
    code: 3,
    text: `${server.target} sent no reply of Redis: this is not the protocol expected`,
  });
});

test('wrong Options and URLs name what is accepted', () => {
  const fault = (options: unknown) => redis.options.safeParse(options).error?.issues[0];
  expect(fault({ Command: 'GET "open' })).toMatchObject({ path: ['Command'] });
  expect(fault({ ExpectValue: '1' })).toMatchObject({
    path: ['ExpectValue'],
    message: 'must come with a Command',
  });
  expect(redis.parseTarget('redis://h/70000')).toMatchObject({ ok: false });
  expect(redis.parseTarget('redis://h/x')).toMatchObject({ ok: false });
  expect(redis.parseTarget('redis://:pw@h/3')).toMatchObject({
    ok: true,
    target: { port: 6379, display: 'redis://:***@h/3' },
  });
});
