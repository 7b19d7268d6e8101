import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import type { AnyProbe, Measurement } from '../contract/probe.ts';
import { secretValues } from '../redact/secret-options.ts';
import { runTest } from './run-test.ts';
import { closedPort, listen, type TestServer } from './server.ts';

/** A probe for the contract suite, with a healthy server. */
export interface ContractFixture {
  readonly probe: AnyProbe;
  /** Serves one connection as a healthy server. */
  readonly serve: (socket: Socket) => void;
  /** The device's URL for a server on this port of 127.0.0.1. */
  readonly url: (port: number) => string;
  /** Options that the healthy server satisfies. */
  readonly options?: unknown;
  /** The same for a Method whose Options name the server; it replaces `options`. */
  readonly optionsFor?: (port: number) => unknown;
  /**
   * A URL and Options with `secret` for every secret of the Method; the server may refuse the login. Omit it only for a
   * Method without secret Options and without a password in its URL.
   */
  readonly withSecret?: (port: number, secret: string) => { readonly url: string; readonly options: unknown };
  /** Whether the server speaks first. If so, silent, slow and garbage servers misbehave in their banner. */
  readonly serverFirst: boolean;
  /** The ResultCode for random bytes (default 3); 1 or 7 for a Method that accepts any bytes. */
  readonly garbageCode?: number;
  /** The ResultCode for a server that closes at once (default 3); 1 for a Method that needs no answer. */
  readonly closedCode?: number;
  /** The ResultCode for a server that sends nothing (default 2); 1 for a Method that needs no answer. */
  readonly silentCode?: number;
  /** The start of the text of every failure: the name of the step that fails. */
  readonly failureStart?: string;
}

/** Most checks end earlier. If a check must reach its timeout, the fake clock advances. */
const timeoutMs = 60_000;
/** The duration of a flood, milliseconds of real time. */
const floodMs = 300;

/** The suite of every probe over TCP. It defines how the check of each misbehaving server must end. */
export function probeContract(fixture: ContractFixture): void {
  describe(`${fixture.probe.method} keeps the contract of every probe`, () => {
    const suite = suiteOf(fixture);
    testConnecting(suite);
    testSlowServers(suite);
    testBrokenServers(suite);
    testSecrets(fixture);
  });
}

/** A fixture with its defaults. */
interface ContractSuite extends Required<Omit<ContractFixture, 'withSecret' | 'options'>> {
  readonly run: (server: TestServer) => Promise<Measurement>;
  /** Runs a check whose clock advances only when the server has its connection and `meanwhile` has ended. */
  readonly runToTimeout: (server: TestServer, meanwhile?: () => Promise<void>) => Promise<Measurement>;
  /** Serves a connection with `answer`: at once if the server speaks first, else after the client's first bytes. */
  readonly answerWith: (answer: (socket: Socket) => void) => (socket: Socket) => void;
}

function suiteOf(fixture: ContractFixture): ContractSuite {
  const { probe, url, options = {}, optionsFor = () => options } = fixture;
  return {
    garbageCode: 3,
    closedCode: 3,
    silentCode: 2,
    failureStart: '',
    ...fixture,
    optionsFor,
    run: (server) => runTest(probe, url(server.port), optionsFor(server.port), { timeoutMs }),
    async runToTimeout(server, meanwhile) {
      const clock = createFakeClock();
      const running = runTest(probe, url(server.port), optionsFor(server.port), { timeoutMs, clock });
      await server.reached(1);
      await meanwhile?.();
      const seen = await advanceUntilEnded(clock, timeoutMs / 50, running);
      expect(clock.monoMs()).toBeLessThanOrEqual(timeoutMs);
      return seen;
    },
    answerWith: (answer) => (socket) => {
      if (fixture.serverFirst) answer(socket);
      else socket.once('data', () => answer(socket));
    },
  };
}

function testConnecting({ probe, serve, url, optionsFor, silentCode, failureStart }: ContractSuite): void {
  test('a healthy server is ok, its phases add up and nothing stays open', async () => {
    await using server = await listen(serve);
    const startedMs = performance.now();
    const seen = await runTest(probe, url(server.port), optionsFor(server.port), { timeoutMs });
    const tookMs = performance.now() - startedMs;
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(total(seen)).toBeGreaterThan(0);
    expect(total(seen)).toBeLessThanOrEqual(tookMs + 0.1);
    expect(seen.phases.connect).toBeGreaterThan(0);
    await server.idle();
  });

  test('a closed port is 3 with the address in the text', async () => {
    const seen = await runTest(probe, url(closedPort), optionsFor(closedPort), { timeoutMs });
    expect(seen).toMatchObject({
      code: 3,
      text: `${failureStart}connection refused by 127.0.0.1:${closedPort}`,
    });
  });

  test('an agent that ends cuts the check off at once', async () => {
    const ending = new AbortController();
    await using server = await listen(() => ending.abort('the end'));
    const settings = { timeoutMs, signal: ending.signal, clock: createFakeClock() };
    const seen = await runTest(probe, url(server.port), optionsFor(server.port), settings);
    if (silentCode === 2) expect(seen).toMatchObject({ code: 10 });
    await server.idle();
  });

  test('a check that the policy refuses is 9 and opens no connection', async () => {
    await using server = await listen(serve);
    const policy = { refuse: () => "not allowed by this agent's policy" };
    const seen = await runTest(probe, url(server.port), optionsFor(server.port), { timeoutMs, policy });
    expect(seen).toMatchObject({ code: 9, text: `${failureStart}not allowed by this agent's policy` });
    expect(server.hits).toBe(0);
  });
}

function testSlowServers({ runToTimeout, answerWith, silentCode }: ContractSuite): void {
  test('a silent server ends at the timeout, and the phase cut off carries the wait', async () => {
    await using server = await listen(() => {});
    const seen = await runToTimeout(server);
    expect(seen).toMatchObject({ code: silentCode });
    if (silentCode === 2) {
      expect(seen.text).toContain(`127.0.0.1:${server.port}`);
      expect(total(seen)).toBeGreaterThan(timeoutMs * 0.8);
    }
    await server.idle();
  });

  test('a server that sends a byte now and then ends at the timeout', async () => {
    await using server = await listen(
      answerWith((socket) => {
        const timer = setInterval(() => socket.write('2'), 5);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    const seen = await runToTimeout(server);
    if (silentCode === 2) expect([2, 3, 7]).toContain(seen.code);
    await server.idle();
  });

  test('a server that floods ends at the timeout, in little memory', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    await using server = await listen(
      answerWith((socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', more);
        more();
      }),
    );
    const before = process.memoryUsage();
    const seen = await runToTimeout(server, () => delay(floodMs));
    const after = process.memoryUsage();
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(
      32 * 1024 * 1024,
    );
    if (silentCode === 2) expect([2, 3, 7], seen.text).toContain(seen.code);
    await server.idle();
  });
}

function testBrokenServers({ run, answerWith, garbageCode, closedCode }: ContractSuite): void {
  test('garbage ends the check at once', async () => {
    const garbage = Buffer.concat([Buffer.from([0, 255, 254, 0, 1]), randomBytes(512)]);
    await using server = await listen(answerWith((socket) => void socket.end(garbage)));
    const seen = await run(server);
    expect(seen, seen.text).toMatchObject({ code: garbageCode });
    await server.idle();
  });

  test('a server that resets the connection is 3', async () => {
    await using server = await listen(answerWith((socket) => void socket.resetAndDestroy()));
    const seen = await run(server);
    expect(seen, seen.text).toMatchObject({ code: closedCode });
  });

  test('a server that closes early is 3', async () => {
    await using server = await listen(answerWith((socket) => void socket.end()));
    const seen = await run(server);
    expect(seen, seen.text).toMatchObject({ code: closedCode });
    await server.idle();
  });
}

function testSecrets(fixture: ContractFixture): void {
  const { probe, serve, url } = fixture;
  const { withSecret } = fixture;
  test('the suite is given a secret wherever the method takes one', () => {
    const login = probe.parseTarget(url(closedPort).replace(/^([a-z0-9]+:\/\/)?/, '$1user:password@'));
    const takesSecret = probe.secretOptions.length > 0 || login.ok;
    expect(withSecret !== undefined, 'withSecret is set').toBe(takesSecret);
  });

  if (withSecret)
    test('no secret shows, whether the check is good or bad', async () => {
      const secret = 'sentinel-Sär"7&+/=';
      const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret), 'sentinel'];
      for (const server of [await listen(serve), await listen(echo)]) {
        await using disposable = server;
        const check = withSecret(disposable.port, secret);
        const found = probe.parseTarget(check.url);
        if (!found.ok) throw new Error(found.message);
        expect(secretValues(probe, found.target, check.options)).toContain(secret);
        const seen = await runTest(probe, check.url, check.options, { timeoutMs: 600 });
        const shown = JSON.stringify([seen, found.target.display]);
        for (const form of forms) expect(shown).not.toContain(form);
      }
    });
}

/** Returns everything it receives, including secrets. */
function echo(socket: Socket): void {
  socket.write('220 hello\r\n');
  socket.on('data', (chunk) => void socket.write(chunk));
}

function total(seen: Measurement): number {
  return Object.values(seen.phases).reduce((sum, ms) => sum + ms, 0);
}
