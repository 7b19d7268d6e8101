import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import type { AnyProbe, Measurement } from '../contract/probe.ts';
import { secretValues } from '../redact/secret-options.ts';
import { runTest } from './run-test.ts';
import { addressOf, closedPort } from './server.ts';

/** A probe over UDP for the contract suite, with a healthy server. */
export interface DatagramFixture {
  readonly probe: AnyProbe;
  /** The answer of a healthy server. */
  readonly answer: (message: Buffer) => Buffer | undefined;
  /** The device's URL for a server on this port of 127.0.0.1. */
  readonly url: (port: number) => string;
  readonly options?: unknown;
  /** The protocol does not tell to which question an answer belongs, so that each datagram counts: 1 or 7. */
  readonly anyAnswerCounts?: boolean;
  /** The wait before a request is sent again, milliseconds; default 1000. */
  readonly resendMs?: number;
  /** As in `ContractFixture`. */
  readonly withSecret?: (port: number, secret: string) => { readonly url: string; readonly options: unknown };
}

/** The time of a check; the fake clock advances where it must pass. */
const timeoutMs = 60_000;
const floodLength = 200;

/** The suite of every probe over UDP. It defines how the check of each misbehaving server must end. */
export function datagramContract(fixture: DatagramFixture): void {
  const { probe, answer, url, options = {}, anyAnswerCounts = false } = fixture;
  const run = (port: number) => runTest(probe, url(port), options, { timeoutMs });
  const runToTimeout = async (server: DatagramServer) => {
    const clock = createFakeClock();
    const running = runTest(probe, url(server.port), options, { timeoutMs, clock });
    await server.reached();
    const seen = await advanceUntilEnded(clock, timeoutMs / 200, running);
    expect(clock.monoMs()).toBeLessThanOrEqual(timeoutMs);
    return seen;
  };

  describe(`${probe.method} keeps the contract of every probe over UDP`, () => {
    test('a healthy server is ok, its phases add up and there is no connect', async () => {
      await using server = await serveDatagrams((message) => [answer(message)]);
      const startedMs = performance.now();
      const seen = await run(server.port);
      const tookMs = performance.now() - startedMs;
      expect(seen, seen.text).toMatchObject({ code: 1, phases: { connect: 0, ssl: 0 } });
      expect(seen.phases.ttfb).toBeGreaterThan(0);
      expect(total(seen)).toBeLessThanOrEqual(tookMs + 0.1);
    });

    test('a closed port is 3 with the address in the text', async () => {
      const seen = await run(closedPort);
      expect(seen).toMatchObject({ code: 3, text: `connection refused by 127.0.0.1:${closedPort}` });
    });

    test('an agent that ends cuts the check off at once', async () => {
      const ending = new AbortController();
      await using server = await serveDatagrams(() => {
        ending.abort('the end');
        return [];
      });
      const settings = { timeoutMs, signal: ending.signal, clock: createFakeClock() };
      expect(await runTest(probe, url(server.port), options, settings)).toMatchObject({ code: 10 });
    });

    test('a check that the policy refuses is 9 and sends nothing', async () => {
      await using server = await serveDatagrams((message) => [answer(message)]);
      const policy = { refuse: () => "not allowed by this agent's policy" };
      const seen = await runTest(probe, url(server.port), options, { timeoutMs, policy });
      expect(seen).toMatchObject({ code: 9, text: "not allowed by this agent's policy" });
      expect(server.messages).toBe(0);
    });

    test('a silent server is asked again, and ends at the timeout with the wait in ttfb', async () => {
      await using server = await serveDatagrams(() => []);
      const seen = await runToTimeout(server);
      expect(seen).toMatchObject({ code: 2 });
      expect(seen.text).toContain(`127.0.0.1:${server.port}`);
      expect(seen.phases.ttfb).toBeGreaterThan(timeoutMs * 0.8);
      expect(server.messages).toBeGreaterThan(2);
    });

    test('a slow server, whose first answer is lost, is ok', async () => {
      let lost = 0;
      await using server = await serveDatagrams((message) => {
        lost += 1;
        return lost === 1 ? [] : [answer(message)];
      });
      const seen = await runToTimeout(server);
      expect(seen, seen.text).toMatchObject({ code: 1 });
      expect(seen.phases.ttfb).toBeGreaterThanOrEqual(fixture.resendMs ?? 1000);
    });

    test('garbage ends the check at once, or is passed over', async () => {
      const garbage = Buffer.concat([Buffer.from([0, 255, 254, 0, 1]), randomBytes(512)]);
      await using server = await serveDatagrams(() => [garbage]);
      const seen = await runToTimeout(server);
      expect(anyAnswerCounts ? [7] : [2, 3], seen.text).toContain(seen.code);
    });

    test('answers to other questions do not count, and a flood of them ends the check', async () => {
      let other: Buffer | undefined;
      await using server = await serveDatagrams((message) => {
        other ??= answer(message);
        return Array.from({ length: floodLength }, () => other);
      });
      await run(server.port);
      const seen = await runToTimeout(server);
      expect(anyAnswerCounts ? [1] : [2, 3], seen.text).toContain(seen.code);
    });

    test('the suite is given a secret wherever the method takes one', () => {
      const takesSecret = probe.secretOptions.length > 0;
      expect(fixture.withSecret !== undefined, 'withSecret is set').toBe(takesSecret);
    });

    if (fixture.withSecret) testSecrets(fixture, fixture.withSecret);
  });
}

function testSecrets(
  { probe, answer }: DatagramFixture,
  withSecret: NonNullable<DatagramFixture['withSecret']>,
): void {
  test('no secret shows, whether the check is good or bad', async () => {
    const secret = 'sentinel-Sär"7&+/=';
    const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret), 'sentinel'];
    for (const reply of [answer, (message: Buffer) => message]) {
      await using server = await serveDatagrams((message) => [reply(message)]);
      const check = withSecret(server.port, secret);
      const found = probe.parseTarget(check.url);
      if (!found.ok) throw new Error(found.message);
      expect(secretValues(probe, found.target, check.options)).toContain(secret);
      const seen = await runTest(probe, check.url, check.options, { timeoutMs: 600 });
      const shown = JSON.stringify([seen, found.target.display]);
      for (const form of forms) expect(shown).not.toContain(form);
    }
  });
}

interface DatagramServer extends AsyncDisposable {
  readonly port: number;
  readonly messages: number;
  /** Resolves when a datagram has arrived. */
  reached(): Promise<void>;
}

async function serveDatagrams(
  reply: (message: Buffer) => readonly (Buffer | undefined)[],
): Promise<DatagramServer> {
  const socket = createSocket('udp4');
  const first = Promise.withResolvers<void>();
  let messages = 0;
  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    messages += 1;
    first.resolve();
    for (const bytes of reply(message)) if (bytes) socket.send(bytes, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: addressOf(socket.address()).port,
    get messages() {
      return messages;
    },
    reached: () => first.promise,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function total(seen: Measurement): number {
  return Object.values(seen.phases).reduce((sum, ms) => sum + ms, 0);
}
