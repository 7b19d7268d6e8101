import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Method, methods } from '@vantage/domain';
import type { ReadTcpFigures } from '@vantage/icmp';
import { systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { retryBecause } from '@vantage/testing/retry';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Address, Dial, Policy } from '../contract/dial.ts';
import { registry } from '../engine/registry.ts';
import { tcp } from '../methods/tcp.ts';
import { closedPort, listen, runTest, serveNames } from '../testing/index.ts';
import { createDial } from './dial.ts';
import { createNames, type NameResolver } from './resolve.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);

/** A dial whose names all stand for these addresses. */
function dialTo(...addresses: string[]): Dial {
  return createDial({ names: namesOf(addresses) });
}

function namesOf(addresses: readonly string[]): NameResolver {
  const list = addresses.map((address): Address => ({ address, family: address.includes(':') ? 6 : 4 }));
  return { servers: () => [], resolve: () => Promise.resolve(list) };
}

const attempts = z.array(z.object({ Result: z.string(), Ms: z.number() }));

describe('dial', () => {
  test('the first address that answers is used, and the attempts are in the extended data', async () => {
    await using server = await listen(() => {});
    const seen = await runTest(tcp, `w.example:${server.port}`, {}, { dial: dialTo('::1', '127.0.0.1') });
    expect(seen).toMatchObject({
      code: 1,
      text: `connected to ${server.target}`,
      extended: {
        Address: server.target,
        Attempts: [
          { Address: `[::1]:${server.port}`, Result: expect.stringMatching(/^E/) },
          { Address: server.target, Result: 'connected' },
        ],
      },
    });
  });

  test('a silent address does not hold up the next for more than 250 ms (RFC 8305)', async () => {
    await using server = await listen(() => {});
    const dial = dialTo('192.0.2.1', '127.0.0.1');
    const clock = createFakeClock();
    const running = runTest(tcp, `w.example:${server.port}`, {}, { dial, clock });
    await clock.advance(250);
    expect((await running).code).toBe(1);
  });

  test("ConnectTime ends when the kernel had the server's answer, however late the event loop saw it", async () => {
    await using server = await listen(() => {});
    const names = namesOf(['127.0.0.1']);
    const url = `w.example:${server.port}`;
    const phases = async (tcpFigures: ReadTcpFigures) =>
      (await runTest(tcp, url, {}, { dial: createDial({ names, tcpFigures }) })).phases;
    expect(await phases(() => ({ rttUs: 2, rttvarUs: 1, sentAgain: 0 }))).toMatchObject({ connect: 0.002 });
    const { connect } = await phases(() => ({ rttUs: 2, rttvarUs: 1, sentAgain: 1 }));
    expect(connect).toBeGreaterThan(0.002);
  });

  test('ConnectTime contains the failed attempts before the used one', async () => {
    await using server = await listen(() => {});
    const tcpFigures = () => ({ rttUs: 2, rttvarUs: 1, sentAgain: 0 });
    const dial = createDial({ names: namesOf(['127.0.0.2', '127.0.0.1']), tcpFigures });
    const { phases, extended } = await runTest(tcp, `w.example:${server.port}`, {}, { dial });
    const [failed, used] = attempts.parse(extended['Attempts']);
    expect([failed?.Result, used]).toEqual(['ECONNREFUSED', expect.objectContaining({ Ms: 0.002 })]);
    expect(phases.connect).toBeGreaterThanOrEqual(failed?.Ms ?? Number.NaN);
  });

  test('when no address answers the most specific failure is the verdict', async () => {
    const seen = await runTest(
      tcp,
      `w.example:${closedPort}`,
      {},
      { dial: dialTo('127.0.0.1', '127.0.0.2') },
    );
    expect(seen).toMatchObject({ code: 3, text: `connection refused by 127.0.0.1:${closedPort}` });
  });

  test('an address that the policy forbids is passed over, and with none left it is 9', async () => {
    await using server = await listen(() => {});
    const asked: string[] = [];
    const policy: Policy = {
      refuse({ address, port, method }) {
        asked.push(`${method} ${address} ${port}`);
        return address === '127.0.0.1' ? undefined : `${address} is not allowed`;
      },
    };
    const url = `w.example:${server.port}`;
    const one = await runTest(tcp, url, {}, { policy, dial: dialTo('10.1.1.1', '127.0.0.1') });
    expect(one).toMatchObject({ code: 1 });
    const none = await runTest(tcp, url, {}, { policy, dial: dialTo('10.1.1.1', '10.1.1.2') });
    expect(none).toMatchObject({ code: 9, text: '10.1.1.2 is not allowed' });
    expect(asked).toEqual(
      ['10.1.1.1', '127.0.0.1', '10.1.1.1', '10.1.1.2'].map((address) => `TCP ${address} ${server.port}`),
    );
  });

  test("an address that this machine has no route to is the agent's, not the device's", async () => {
    const seen = await runTest(tcp, '[2001:db8::1]:25', {}, { timeoutMs: 1000 });
    // Where this machine has IPv6, the documentation prefix is silent or unreachable instead.
    expect(seen.code === 10 ? seen.text : seen.code).toSatisfy(
      (found: unknown) => found === 2 || found === 'this agent has no route to 2001:db8::1',
    );
  });

  test('IPv6 is spoken, its address shown in brackets', async ({ skip }) => {
    skip(!hasIPv6, 'this machine has no IPv6');
    await using server = await listen(() => {}, '::1');
    expect(await runTest(tcp, server.target)).toMatchObject({
      code: 1,
      text: `connected to ${server.target}`,
    });
    expect(await runTest(tcp, server.target, { IPFamily: '4' })).toMatchObject({
      code: 5,
      text: '::1 is no IPv4 address',
    });
  });

  test('a thousand checks leave no socket and little time behind', async () => {
    await using server = await listen(() => {});
    const dial = createDial();
    const startedMs = systemClock.monoMs();
    for (let i = 0; i < 20; i += 1) {
      await Promise.all(Array.from({ length: 50 }, () => runTest(tcp, server.target, {}, { dial })));
    }
    await server.reached(1000);
    await server.idle();
    expect(systemClock.monoMs() - startedMs).toBeLessThan(60_000);
  });
});

/** The methods that connect over TCP. */
const connecting = methods.filter((method) => registry[method].tracePackets === 'tcp' || method === 'DNS');
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
