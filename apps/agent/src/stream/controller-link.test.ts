import { connect, createServer, type Socket } from 'node:net';
import { Secret, systemClock } from '@vantage/kernel';
import { addressOf, closedPort, makeCertificate, type TestCertificate } from '@vantage/probes/testing';
import { startConnectProxy } from '@vantage/testing/connect-proxy';
import { expect, test } from 'vitest';
import { startFakeController } from '../testing/fake-controller.ts';
import { createLink, type LinkHandlers } from './controller-link.ts';
import type { DisconnectReason } from './disconnect-reason.ts';

const certificate = makeCertificate();

/** The certificate of an agent that the controllers of this file know. */
const known = makeCertificate({ names: ['a1'], issuer: certificate });

/** Forwards bytes to a port until it is frozen; then neither end receives anything more, not even the end. */
async function freezable(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: addressOf(server.address()).port,
    freeze() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A link that records its disconnections; disposing ends it. */
function linkTo(
  endpoints: readonly string[],
  {
    own = known,
    ca = certificate.cert,
    proxy,
  }: { readonly own?: TestCertificate; readonly ca?: string; readonly proxy?: Secret } = {},
) {
  const disconnects: DisconnectReason[] = [];
  const waiting: (() => void)[] = [];
  const ending = new AbortController();
  let ups = 0;
  const wakeAll = () => {
    for (const wake of waiting.splice(0)) wake();
  };
  const link = createLink({
    endpoints,
    proxy,
    prove: async () => ({ kind: 'certificate', cert: own.cert, key: own.key, ca }),
    onRefused: () => {},
    clock: systemClock,
    random: () => 0,
    pings: { pingIntervalMs: 100, pingTimeoutMs: 150 },
  });
  const handlers: LinkHandlers = {
    hello: async () => ({ bootId: 'b', sessionCounter: 1n }),
    onUp() {
      ups += 1;
      wakeAll();
    },
    onMessage: () => {},
    onDown(disconnect) {
      disconnects.push(disconnect);
      wakeAll();
    },
  };
  const done = link.run(handlers, ending.signal);
  return {
    link,
    disconnects,
    async until(predicate: () => boolean) {
      while (!predicate()) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    get ups() {
      return ups;
    },
    async [Symbol.asyncDispose]() {
      ending.abort('test ends');
      await done;
    },
  };
}

test('pings notice a half-open connection, the agent closes it and opens another', async () => {
  await using controller = await startFakeController({ certificate, token: 'a' });
  await using proxy = await freezable(controller.port);
  await using agent = linkTo([`https://127.0.0.1:${proxy.port}`]);
  await agent.until(() => agent.ups === 1);
  proxy.freeze();
  await agent.until(() => agent.disconnects.length === 1);
  expect(agent.disconnects[0]).toMatchObject({ kind: 'lost', text: 'no answer to a ping within 0.15 s' });
  await agent.until(() => agent.ups === 2);
  expect(agent.link.isUp).toBe(true);
});

test('a foreign certificate is refused, and the reason names it', async () => {
  await using controller = await startFakeController({ certificate, token: 'a' });
  await using agent = linkTo([controller.endpoint], { own: makeCertificate() });
  await agent.until(() => agent.disconnects.length === 1);
  expect(agent.disconnects[0]).toEqual({ kind: 'refused', text: 'unknown certificate' });
});

test('the agent opens no stream to a controller with a certificate of another CA', async () => {
  await using controller = await startFakeController({ certificate: makeCertificate(), token: 'a' });
  await using agent = linkTo([controller.endpoint]);
  await agent.until(() => agent.disconnects.length === 1);
  expect(agent.disconnects[0]).toMatchObject({ kind: 'lost', text: expect.stringContaining('certificate') });
  expect(controller.streams).toBe(0);
});

test('after a refused connection and after a cut the agent reports the reason and tries the next endpoint', async () => {
  await using controller = await startFakeController({ certificate, token: 'a' });
  await using agent = linkTo([`https://127.0.0.1:${closedPort}`, controller.endpoint]);
  await agent.until(() => agent.ups === 1);
  expect(agent.disconnects[0]).toMatchObject({ kind: 'lost', text: expect.stringContaining('ECONNREFUSED') });
  controller.cut();
  await agent.until(() => agent.ups === 2);
});

test('a message before the stream is open is not accepted', async () => {
  await using agent = linkTo([]);
  expect(agent.link.send({ case: 'heartbeat', value: {} })).toBe(false);
});

test('through an HTTP proxy the stream opens, and again after the proxy cut it', async () => {
  await using controller = await startFakeController({ certificate, token: 'a' });
  await using proxy = await startConnectProxy('127.0.0.1', 'user:secret');
  const url = new Secret(`http://user:secret@127.0.0.1:${proxy.port}`);
  const endpoint = `https://127.0.0.1:${controller.port}`;
  await using agent = linkTo([endpoint], { proxy: url });
  await agent.until(() => agent.ups === 1);
  proxy.cut();
  await agent.until(() => agent.ups === 2);
  expect(proxy.asked).toEqual([1, 2].map(() => `127.0.0.1:${controller.port}`));
});

test('the certificate is checked through a proxy too, and a proxy that refuses is named without its password', async () => {
  await using controller = await startFakeController({ certificate, token: 'a' });
  await using proxy = await startConnectProxy('127.0.0.1', 'user:secret');
  const endpoint = `https://127.0.0.1:${controller.port}`;
  const through = (credentials: string) => new Secret(`http://${credentials}@127.0.0.1:${proxy.port}`);
  await using foreign = linkTo([endpoint], {
    ca: makeCertificate().cert,
    proxy: through('user:secret'),
  });
  await foreign.until(() => foreign.disconnects.length === 1);
  expect(foreign.disconnects[0]).toMatchObject({
    kind: 'lost',
    text: expect.stringContaining('certificate'),
  });
  await using refused = linkTo([endpoint], { proxy: through('user:guess') });
  await refused.until(() => refused.disconnects.length === 1);
  const { text } = refused.disconnects[0] ?? { text: '' };
  expect(text).toContain('407');
  expect(text).not.toContain('guess');
});

test('whoever lost the last controller of a round begins the next one with another', async () => {
  const endpoints = [`127.0.0.1:${closedPort}`, `localhost:${closedPort}`];
  const tried: string[] = [];
  const ending = new AbortController();
  // Two numbers order a round, one is for each wait: the second round would begin where the first one ended.
  const numbers = [0, 1, 0, 0, 1, 0];
  const link = createLink({
    endpoints,
    proxy: undefined,
    prove: async () => ({ kind: 'certificate', cert: known.cert, key: known.key, ca: certificate.cert }),
    onRefused: () => {},
    clock: systemClock,
    random: () => numbers.shift() ?? 0,
    pings: { pingIntervalMs: 100, pingTimeoutMs: 150 },
  });
  await link.run(
    {
      hello: async () => ({ bootId: 'b', sessionCounter: 1n }),
      onUp: () => {},
      onMessage: () => {},
      onDown(_disconnect, endpoint) {
        tried.push(endpoint);
        if (tried.length === 4) ending.abort(new Error('seen'));
      },
    },
    ending.signal,
  );
  expect(tried).toEqual([...endpoints, ...endpoints]);
});
