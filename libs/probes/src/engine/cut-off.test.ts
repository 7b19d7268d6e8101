import type { Phase } from '../contract/dial.ts';
// Where a check is cut off by its timeout: the phase that was running carries the wait, those after it are zero, and
// their sum is the whole of it. (A connect that nobody answers: tests/real-servers/accuracy.test.ts.)

import type { Socket } from 'node:net';
import type { Method } from '@vantage/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Measurement } from '../contract/probe.ts';
import { packetOf } from '../methods/mysql/packets.ts';
import { createDial } from '../net/dial.ts';
import { createNames } from '../net/resolve.ts';
import { closedPort, listen, runTest, serveNames, speakLines } from '../testing/index.ts';
import { greetingPacket } from '../testing/mysql-server.ts';
import { probeFor } from './registry.ts';

/** Long enough that a busy machine delays no other phase as much. */
const timeoutMs = 1_500;
const order: readonly Phase[] = ['dns', 'connect', 'ssl', 'ttfb', 'ttlb'];

function probeOf(method: Method) {
  const probe = probeFor(method);
  if (!probe) throw new TypeError(`no probe for ${method}`);
  return probe;
}

/** Runs one check that will be cut off; holds all that must be so whatever the method. */
async function cutIn(
  phase: Phase,
  run: () => Promise<Measurement>,
  settings: { readonly code: number; readonly after?: boolean; readonly least?: number },
): Promise<void> {
  const startedMs = performance.now();
  const seen = await run();
  const tookMs = performance.now() - startedMs;
  const { phases } = seen;
  expect(seen, seen.text).toMatchObject({ code: settings.code });
  const sum = order.reduce((all, each) => all + phases[each], 0);
  expect(sum, JSON.stringify(phases)).toBeGreaterThan(timeoutMs * (settings.least ?? 0.9));
  expect(sum).toBeLessThanOrEqual(tookMs + 0.1);
  expect(order.toSorted((a, b) => phases[b] - phases[a])[0]).toBe(phase);
  const later = settings.after ? [] : order.slice(order.indexOf(phase) + 1);
  for (const each of later) expect(phases[each], each).toBe(0);
}

const hostPort = (port: number) => `127.0.0.1:${port}`;
const mysqlGreeting = packetOf(0, greetingPacket(Buffer.alloc(20, 7), 'mysql_native_password', true));
const login = { User: 'u', Password: 'p' };

// A method that loads its library at its first check does so here, and not within the time of a check that is cut off.
beforeAll(() => runTest(probeOf('SSH'), hostPort(closedPort), {}, { timeoutMs: 60_000 }));

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
    const run = () => runTest(probeOf(method), url, options, { timeoutMs, dial });
    // The rest of the time is kept for finding out who is to blame.
    await cutIn('dns', run, { code: 10, least: 0.5 });
  });

  test.each([
    ['HTTP', (port: number) => `https://127.0.0.1:${port}/`, {}],
    ['DNS', (port: number) => `dns://127.0.0.1:${port}/name.test`, { Transport: 'TLS' }],
    ...(['SMTP', 'POP3', 'MySQL', 'IMAP4', 'FTP', 'TELNET', 'NNTP', 'TCP'] as const).map(
      (method) => [method, hostPort, { TLS: { Mode: 'Implicit' } }] as const,
    ),
  ] as const)('in the handshake, %s: SSLTime', async (method, url, options) => {
    await using server = await listen(() => {});
    await cutIn('ssl', () => runTest(probeOf(method), url(server.port), options, { timeoutMs }), { code: 2 });
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
    const run = () => runTest(probeOf(method), hostPort(server.port), options, { timeoutMs });
    // The dialogue went on before the handshake: its time stands in TTLB already.
    await cutIn('ssl', run, { code: 2, after: true });
  });

  test('in the handshake after its request, MySQL: SSLTime', async () => {
    await using server = await listen((socket) => void socket.write(mysqlGreeting));
    const options = { TLS: { Mode: 'StartTLS' } };
    const run = () => runTest(probeOf('MySQL'), hostPort(server.port), options, { timeoutMs });
    await cutIn('ssl', run, { code: 2, after: true });
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
    await cutIn('ttfb', () => runTest(probeOf(method), url(server.port), options, { timeoutMs }), {
      code: 2,
    });
  });

  test('before a first byte over UDP: TTFB', async () => {
    await using silent = await serveNames(() => undefined);
    const run = () => runTest(probeOf('DNS'), `dns://${silent.target}/name.test`, {}, { timeoutMs });
    await cutIn('ttfb', run, { code: 2 });
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
    await cutIn('ttlb', () => runTest(probeOf(method), url, options, { timeoutMs }), { code });
  });

  test('by a script that waits: TTLB', async (context) => {
    const run = () => runTest(probeOf('Script'), 'await sleep(60_000)', {}, { timeoutMs: 3000 });
    const { code, text, phases } = await run();
    if (code === 10) context.skip(text);
    expect({ code, ...phases }, text).toMatchObject({ code: 2, dns: 0, connect: 0, ssl: 0, ttfb: 0 });
    expect(phases.ttlb).toBeGreaterThan(0);
  });
});
