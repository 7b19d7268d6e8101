// A provider that takes requests and does not answer them.
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const soon = { timeout: 60_000, interval: 20 };
let rest: RestFixture;
let key = '';
let asked = 0;
const sockets = new Set<Socket>();
const provider = createServer((socket) => {
  sockets.add(socket);
  socket.on('data', () => (asked += 1)).on('error', () => {});
});

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const address = provider.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  rest = await createRestFixture({
    settings: {
      oidc: {
        issuer: `http://127.0.0.1:${port}`,
        clientId: 'vantage',
        clientSecretFile: undefined,
        groups: undefined,
        account: 'one',
      },
    },
  });
  const { accountNo } = await rest.account('one');
  ({ key } = await rest.key(accountNo, 'UR'));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await rest[Symbol.asyncDispose]();
  await new Promise((resolve) => provider.close(resolve));
});

test('a provider that hangs keeps nobody from signing in by a key, not from the same network either', async () => {
  const answers: string[] = [];
  const ask = async (name: string, path: string, from: string, init: RequestInit = {}) => {
    const reply = await fetch(`${rest.baseUrl.replace('/v1.1', '')}${path}`, {
      ...init,
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-For': from,
      },
    });
    await reply.text();
    answers.push(name);
    return reply.status;
  };
  const networks = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'];
  const hanging = networks.flatMap((from) =>
    Array.from({ length: 8 }, () => ask('provider', '/sign-in', from)),
  );
  await vi.waitFor(() => expect(asked).toBeGreaterThan(0), soon);
  const body = JSON.stringify({ Key: key });
  const signIns = ['192.0.2.1', '192.0.2.6'].flatMap((from) => [
    ask('ways', '/sign-in/ways', from),
    ask('key', '/v1.1/session', from, { method: 'POST', body }),
  ]);
  expect(await Promise.all(signIns)).toEqual([200, 200, 200, 200]);
  expect(answers).not.toContain('provider');
  // The provider is asked once for all of them, and those who come soon after hear at once that it does not answer.
  expect(new Set(await Promise.all(hanging))).toEqual(new Set([503]));
  expect(await ask('again', '/sign-in', networks[0] ?? '')).toBe(503);
  expect(asked).toBe(1);
});
