// Where a check is cut off by its timeout: the phase that was running carries the wait, those after it are zero, and
// their sum is the whole of it. (A connect without an answer: tests/real-servers/accuracy.timed.test.ts.) The clock
// stands still until the phase runs, so no time of a busy machine is in the sums.

import type { Socket } from 'node:net';
import type { Method } from '@vantage/domain';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test, vi } from 'vitest';
import type { Dial, Phase, Stopwatch } from '../contract/dial.ts';
import type { AnyProbe } from '../contract/probe.ts';
import { packetOf } from '../methods/mysql/mysql-packets.ts';
import { createDial } from '../net/dial.ts';
import { createNames } from '../net/resolve.ts';
import { listen, runTest, serveNames, speakLines } from '../testing/index.ts';
import { greetingPacket } from '../testing/mysql-server.ts';
import { probeFor } from './registry.ts';

/** Of the clock that stands still. A process that runs a script has as much time of the machine. */
const timeoutMs = 60_000;
const order: readonly Phase[] = ['dns', 'connect', 'ssl', 'ttfb', 'ttlb'];

/** The check to cut off: a Method, its URL and Options. */
type CutCheck = readonly [method: Method, url: string, options: object];

/** Runs one check that will be cut off in a phase; holds all that must be so whatever the method. */
async function cutIn(
  phase: Phase,
  [method, url, options]: CutCheck,
  settings: {
    readonly code: number;
    readonly after?: boolean;
    readonly leastMs?: number;
    readonly dial?: Dial;
    /** Whether the wait has begun, where the phase begins earlier. */
    readonly waits?: () => boolean;
  },
): Promise<void> {
  const probe = probeFor(method);
  if (!probe) throw new TypeError(`no probe for ${method}`);
  const clock = createFakeClock();
  let stopwatch: Stopwatch | undefined;
  const watched: AnyProbe = {
    ...probe,
    run(context, ...given) {
      stopwatch = context.stopwatch;
      return probe.run(context, ...given);
    },
  };
  const { dial } = settings;
  const running = runTest(watched, url, options, { timeoutMs, clock, ...(dial && { dial }) });
  const { waits = () => stopwatch?.running() === phase } = settings;
  await vi.waitFor(() => expect(waits()).toBe(true), { timeout: 60_000, interval: 2 });
  // In one step past the share of name servers, because their own library has the clock of the machine.
  const seen = await advanceUntilEnded(clock, timeoutMs * 0.8, running);
  const { phases } = seen;
  expect(seen, seen.text).toMatchObject({ code: settings.code });
  expect(phases[phase], JSON.stringify(phases)).toBeGreaterThanOrEqual(settings.leastMs ?? timeoutMs);
  const sum = order.reduce((all, each) => all + phases[each], 0);
  expect(sum, JSON.stringify(phases)).toBeLessThanOrEqual(timeoutMs);
  const later = settings.after ? [] : order.slice(order.indexOf(phase) + 1);
  for (const each of later) expect(phases[each], each).toBe(0);
}

const hostPort = (port: number) => `127.0.0.1:${port}`;
const mysqlGreeting = packetOf(0, greetingPacket(Buffer.alloc(20, 7), 'mysql_native_password', true));
const login = { User: 'u', Password: 'p' };

describe.concurrent('a check that is cut off', () => {
  test.each([
    ['HTTP', 'http://slow.test/', {}],
    ['SMTP', 'slow.test', {}],
    ['PING', 'slow.test', {}],
    ['DNS', 'dns://slow.test/name.test', {}],
    ['DNS', 'dns://slow.test/name.test', { Transport: 'TCP' }],
  ] as const)('by silent resolvers, %s %s: DNSTime', async (method, url, options) => {
    await using resolver = await serveNames(() => undefined);
    const dial = createDial({ names: createNames({ servers: [resolver.target] }) });
    // The phase begins before the files of names are read. The rest of the time is for finding out who is to blame.
    await cutIn('dns', [method, url, options], {
      code: 10,
      leastMs: timeoutMs / 2,
      dial,
      waits: () => resolver.questions.length > 0,
    });
  });

  test.each([
    ['HTTP', (port: number) => `https://127.0.0.1:${port}/`, {}],
    ['DNS', (port: number) => `dns://127.0.0.1:${port}/name.test`, { Transport: 'TLS' }],
    ...(['SMTP', 'POP3', 'MySQL', 'IMAP4', 'FTP', 'TELNET', 'NNTP', 'TCP'] as const).map(
      (method) => [method, hostPort, { TLS: { Mode: 'Implicit' } }] as const,
    ),
  ] as const)('in the handshake, %s: SSLTime', async (method, url, options) => {
    await using server = await listen(() => {});
    await cutIn('ssl', [method, url(server.port), options], { code: 2 });
  });

  test.each([
    ['SMTP', '220 x', ['250-x\r\n250 STARTTLS', '220 go on']],
    ['POP3', '+OK', ['+OK']],
    ['IMAP4', '* OK', ['a1 OK']],
    ['FTP', '220 x', ['234 go on']],
    ['NNTP', '200 x', ['382 go on']],
  ] as const)('in the handshake after STARTTLS, %s: SSLTime', async (method, greeting, answers) => {
    const serve = speakLines({ greeting, answer: (_line, said) => answers[said.length] });
    await using server = await listen(serve);
    const options = { TLS: { Mode: 'StartTLS' } };
    // The dialogue went on before the handshake: its time stands in TTLB already.
    await cutIn('ssl', [method, hostPort(server.port), options], { code: 2, after: true });
  });

  test('in the handshake after its request, MySQL: SSLTime', async () => {
    await using server = await listen((socket) => void socket.write(mysqlGreeting));
    const options = { TLS: { Mode: 'StartTLS' } };
    await cutIn('ssl', ['MySQL', hostPort(server.port), options], { code: 2, after: true });
  });

  test.each([
    ['HTTP', (port: number) => `http://127.0.0.1:${port}/`, {}],
    ['HTTP', (port: number) => `http://127.0.0.1:${port}/h2`, { HTTPVersion: '2' }],
    ['DNS', (port: number) => `dns://127.0.0.1:${port}/name.test`, { Transport: 'TCP' }],
    ['TCP', hostPort, { Steps: [{ Send: 'a', Expect: 'b' }] }],
    ...(['SMTP', 'POP3', 'MySQL', 'IMAP4', 'FTP', 'TELNET', 'SSH', 'NNTP'] as const).map(
      (method) => [method, hostPort, {}] as const,
    ),
  ] as const)('before a first byte, %s: TTFB', async (method, url, options) => {
    await using server = await listen(() => {});
    await cutIn('ttfb', [method, url(server.port), options], { code: 2 });
  });

  test('before a first byte over UDP: TTFB', async () => {
    await using silent = await serveNames(() => undefined);
    await cutIn('ttfb', ['DNS', `dns://${silent.target}/name.test`, {}], { code: 2 });
  });

  test.each<[Method, string | Buffer, number, object]>([
    ['HTTP', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab', 2, {}],
    ['HTTP', 'HTTP/1.1 200 O', 2, {}],
    ['TCP', 'a', 7, { Steps: [{ Expect: 'b' }] }],
    ['SMTP', '220 x\r\n', 2, {}],
    ['POP3', '+OK\r\n', 2, login],
    ['IMAP4', '* OK\r\n', 2, login],
    ['FTP', '220 x\r\n', 2, login],
    ['NNTP', '200 x\r\n', 2, { Group: 'a.b' }],
    ['MySQL', mysqlGreeting, 2, {}],
    ['SSH', 'SSH-2.0-x\r\n', 2, {}],
    ['TELNET', 'welcome\r\n', 7, login],
    ['DNS', '\0', 2, { Transport: 'TCP' }],
  ])('in the middle of an answer, %s %j: TTLB', async (method, said, code, options) => {
    const clientFirst = method === 'HTTP' || method === 'DNS';
    const speak = (socket: Socket) => void socket.write(said);
    await using server = await listen((socket) => {
      if (clientFirst) socket.once('data', () => speak(socket));
      else speak(socket);
    });
    const scheme = method === 'HTTP' ? 'http://' : method === 'DNS' ? 'dns://' : '';
    const url = `${scheme}${hostPort(server.port)}${scheme === '' ? '' : '/name.test'}`;
    await cutIn('ttlb', [method, url, options], { code });
  });
});

test('a script that waits is cut off: TTLB', async () => {
  await cutIn('ttlb', ['Script', 'await sleep(60_000)', {}], { code: 2 });
});
