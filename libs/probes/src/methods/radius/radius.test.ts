import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import { addressOf, datagramContract, runTest } from '../../testing/index.ts';
import { radiusAnswer, type TestRadiusServer } from '../../testing/radius-server.ts';
import { radius } from './radius.ts';

const secret = 'testing123';

datagramContract({
  probe: radius,
  answer: (message) => radiusAnswer(message, { secret }),
  url: (port) => `radius://127.0.0.1:${port}`,
  options: { Secret: secret },
  withSecret: (port, sentinel) => ({
    url: `radius://me:${encodeURIComponent(sentinel)}@127.0.0.1:${port}`,
    options: { Secret: sentinel, Password: sentinel },
  }),
});

const login = { User: 'me', Password: 'sesame' };
const byPassword = (password: string | undefined) => (password === 'sesame' ? 2 : 3);

async function serve(server: Partial<TestRadiusServer>) {
  const socket = createSocket('udp4');
  const first = Promise.withResolvers<void>();
  socket.on('message', (message, from) => {
    const answer = radiusAnswer(message, { secret, ...server });
    if (answer) socket.send(answer, from.port, from.address);
    // The probe has it when it has the next datagram of this socket.
    first.resolve();
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    target: `127.0.0.1:${addressOf(socket.address()).port}`,
    reached: first.promise,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

describe('RADIUS', () => {
  test.each([
    [{}, {}, 1, 'Access-Accept for the status'],
    [{ codeFor: () => 5 }, {}, 1, 'Accounting-Response for the status'],
    [{ codeFor: () => 3 }, {}, 3, 'Access-Reject for the status'],
    [{ codeFor: byPassword }, login, 1, 'Access-Accept for user "me"'],
    [
      { codeFor: byPassword, replyMessage: 'not you' },
      { ...login, Password: 'wrong' },
      8,
      'login refused: Access-Reject for user "me": "not you"',
    ],
    [
      { codeFor: byPassword },
      { ...login, Password: 'wrong', ExpectCode: 'Access-Reject' },
      1,
      'Access-Reject for user "me"',
    ],
    [{ codeFor: () => 11 }, login, 7, 'expected Access-Accept, got Access-Challenge for user "me"'],
    [
      { codeFor: () => 11 },
      { ...login, ExpectCode: 'Access-Challenge' },
      1,
      'Access-Challenge for user "me"',
    ],
    [{ codeFor: () => 200 }, {}, 3, 'code 200 for the status'],
    [{ isUnprotected: true }, { RequireMessageAuthenticator: false }, 1, 'Access-Accept for the status'],
    [
      { isUnprotected: true },
      {},
      7,
      'Access-Accept has no Message-Authenticator, so anybody on the way can forge it (CVE-2024-3596): upgrade the server, or set RequireMessageAuthenticator to false',
    ],
  ])('a server with %j and %j ends as %i', async (server, options, code, text) => {
    await using running = await serve(server);
    const seen = await runTest(radius, running.target, { Secret: secret, ...options }, { timeoutMs: 60_000 });
    expect(seen, seen.text).toMatchObject({ code, text });
    expect(seen.extended['RADIUS']).toMatchObject({
      MessageAuthenticator: !('isUnprotected' in server),
    });
    expect(JSON.stringify(seen)).not.toContain(secret);
  });

  test.each([{ signsWith: 'another' }, { isForged: true }])(
    'an answer of a server with %j is not trusted: the Secret is named at the timeout',
    async (server) => {
      await using running = await serve(server);
      const clock = createFakeClock();
      const options = { Secret: secret };
      const check = runTest(radius, running.target, options, { timeoutMs: 60_000, clock });
      await running.reached;
      expect(await advanceUntilEnded(clock, 300, check)).toMatchObject({
        code: 8,
        text: `${running.target} answers, but not with this Secret: its signature does not fit`,
      });
    },
  );

  test('without a Secret nothing is sent', async () => {
    expect(await runTest(radius, '127.0.0.1:9')).toMatchObject({ code: 8, text: 'no Secret is set' });
  });

  test('a password needs a user', async () => {
    const seen = await runTest(radius, '127.0.0.1:9', { Secret: secret, Password: 'x' });
    expect(seen).toMatchObject({ code: 8, text: 'a password is set but no user name' });
  });

  test('the login of the URL, whose password is masked', async () => {
    await using running = await serve({ codeFor: byPassword, replyMessage: 'hello sesame' });
    const seen = await runTest(radius, `radius://me:sesame@${running.target}`, { Secret: secret });
    expect(seen).toMatchObject({ code: 1, text: 'Access-Accept for user "me": "hello ***"' });
    const found = radius.parseTarget('radius://me:sesame@radius.example');
    expect(found).toMatchObject({
      ok: true,
      target: { port: 1812, display: 'radius://me:***@radius.example' },
    });
  });

  test.each([
    [{ Password: 'ä'.repeat(65) }, 'Password'],
    [{ User: 'ä'.repeat(127) }, 'User'],
    [{ NASIdentifier: 'a\nb' }, 'NASIdentifier'],
  ])('%j is refused at %s', (options, place) => {
    expect(radius.options.safeParse(options).error?.issues.map(({ path }) => path.join('.'))).toEqual([
      place,
    ]);
  });
});
