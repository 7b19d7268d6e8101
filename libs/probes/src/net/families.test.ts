import { createServer } from 'node:net';
import { type Method, methods } from '@vantage/domain';
import { expect, test } from 'vitest';
import { retryBecause } from '../../../../tests/harness/retry.ts';
import { registry } from '../engine/registry.ts';
import { listen, runTest, serveNames } from '../testing/index.ts';
import { createDial } from './dial.ts';
import { createNames } from './resolve.ts';

/** The methods that connect; PING and Script have families of their own. */
const connecting = methods.filter((method) => method !== 'PING' && method !== 'Script');
const options = (method: Method) => (method === 'DNS' ? { Transport: 'TCP' } : {});
const urlOf = (method: Method, place: string) =>
  ({ HTTP: `http://${place}/`, DNS: `dns://${place}/x.example` })[String(method)] ?? place;

/** Why there is no IPv6 here. */
const missing = await new Promise<string | undefined>((resolve) => {
  const server = createServer();
  server.once('error', (error) => resolve(`no ::1 here: ${error.message}`));
  server.listen(0, '::1', () => server.close(() => resolve(undefined)));
});

test.for(connecting)(
  '%s reaches an IPv6 address as literal and by name, and says which',
  async (method, context) => {
    if (missing !== undefined) return context.skip(missing);
    await using server = await listen((socket) => void socket.end(), '::1');
    await using names = await serveNames(({ name, type }) => ({
      answers: type === 'AAAA' ? [{ type: 'AAAA', name, data: '::1' }] : [],
    }));
    const dial = createDial({ names: createNames({ servers: [names.target] }) });
    const Address = `[::1]:${server.port}`;
    const literal = await runTest(registry[method], urlOf(method, Address), options(method));
    expect(literal.extended).toMatchObject({ Address });
    expect(literal.phases.dns).toBe(0);
    const named = await runTest(registry[method], urlOf(method, `six.test:${server.port}`), options(method), {
      dial,
    });
    expect(named.extended).toMatchObject({ Address });
    expect(named.phases.dns).toBeGreaterThan(0);
    expect(server.hits).toBe(2);
    const four = await runTest(registry[method], urlOf(method, Address), {
      ...options(method),
      IPFamily: '4',
    });
    expect(four).toMatchObject({ code: 5, text: '::1 is no IPv4 address' });
  },
);

test.for(connecting)(
  '%s goes on to IPv4 where IPv6 is refused, and notes both',
  retryBecause('the port may be taken on ::1', 2),
  async (method, context) => {
    if (missing !== undefined) return context.skip(missing);
    await using server = await listen((socket) => void socket.end());
    await using names = await serveNames(({ name, type }) => ({
      answers:
        type === 'AAAA' ? [{ type: 'AAAA', name, data: '::1' }] : [{ type: 'A', name, data: '127.0.0.1' }],
    }));
    const dial = createDial({ names: createNames({ servers: [names.target] }) });
    const seen = await runTest(registry[method], urlOf(method, `both.test:${server.port}`), options(method), {
      dial,
    });
    expect(seen.extended).toMatchObject({
      Address: `127.0.0.1:${server.port}`,
      Attempts: [
        { Address: `[::1]:${server.port}`, Result: 'ECONNREFUSED' },
        { Address: `127.0.0.1:${server.port}`, Result: 'connected' },
      ],
    });
  },
);
