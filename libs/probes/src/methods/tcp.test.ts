import type { Socket } from 'node:net';
import { retryBecause } from '@vantage/testing/retry';
import { beforeAll, describe, expect, test } from 'vitest';
import { textSearch } from '../search/text-search.ts';
import { listen, probeContract, runTest } from '../testing/index.ts';
import { tcp } from './tcp.ts';

// The first pattern starts the threads; on a busy machine that takes longer than some of the times below.
beforeAll(() => textSearch.run({ kind: 'regex', pattern: 'a', text: 'a' }, new AbortController().signal));

probeContract({
  probe: tcp,
  serverFirst: false,
  url: (port) => `127.0.0.1:${port}`,
  options: { Steps: [{ Send: 'PING\r\n', Expect: '+PONG' }] },
  garbageCode: 7,
  withSecret: (port, secret) => ({
    url: `tls://127.0.0.1:${port}`,
    options: { TLS: { ClientKey: secret }, Steps: [{ Send: 'PING\r\n', Expect: '+PONG' }] },
  }),
  serve: (socket) => void socket.on('data', () => socket.write('+PONG\r\n')),
});

describe('TCP', () => {
  test('without steps an accepted connection is good, and only the connect is measured', async () => {
    await using server = await listen(() => {});
    const seen = await runTest(tcp, server.target);
    expect(seen).toMatchObject({ code: 1, text: `connected to ${server.target}`, dataSize: 0 });
    expect(seen.phases).toMatchObject({ dns: 0, ssl: 0, ttfb: 0, ttlb: 0 });
    expect(seen.extended).toEqual({ Address: server.target });
    await server.idle();
  });

  test.each([
    { steps: [{ Expect: '220' }], code: 1 },
    { steps: [{ ExpectRegex: '^220 [a-z]+' }, { Send: 'NOOP\r\n', Expect: 'NOOP' }], code: 1 },
    { steps: [{ Expect: '220' }, { SendHex: '00 ff', ExpectHex: '00ff' }], code: 1 },
    { steps: [{ Expect: '220 ready' }, { Expect: '\n' }], code: 1 },
    {
      steps: [{ Expect: '554' }],
      code: 7,
      text: 'step 1: expected "554", got "220 ready"',
    },
    { steps: [{ ExpectRegex: '(.*.*)*x' }], code: 7 },
  ])('a greeting echo server and $steps end as $code', async ({ steps, code, text }) => {
    await using server = await listen((socket) => {
      socket.write('220 ready\r\n');
      socket.on('data', (chunk) => socket.write(chunk));
    });
    // Where what is expected never comes, the timeout ends the check.
    const timeoutMs = code === 7 ? 2_000 : 20_000;
    const seen = await runTest(tcp, server.target, { Steps: steps }, { timeoutMs });
    expect(seen, seen.text).toMatchObject({ code, ...(text && { text }) });
    if (code === 7) expect(seen.extended['Transcript']).toContain('< 220 ready\\r\\n');
  });

  test('a pattern that runs away is stopped and named', async () => {
    await using server = await listen((socket) => void socket.write(`${'a'.repeat(60)}!`));
    const seen = await runTest(
      tcp,
      server.target,
      { Steps: [{ ExpectRegex: '^(a+)+$' }] },
      { timeoutMs: 20_000 },
    );
    expect(seen).toMatchObject({ code: 7, text: '/^(a+)+$/ takes too long on this answer: make it simpler' });
  });

  test(
    'the dialogue is timed, the first byte and then the rest, as the server itself stamps it',
    retryBecause('it measures time', 4),
    async () => {
      const stamps: number[] = [];
      const say = (socket: Socket, text: string) => {
        socket.write(text);
        stamps.push(performance.now());
      };
      await using server = await listen((socket) => {
        stamps.push(performance.now());
        setTimeout(() => say(socket, '220'), 60);
        setTimeout(() => say(socket, ' ready'), 160);
      });
      const seen = await runTest(tcp, server.target, { Steps: [{ Expect: '220 ready' }] });
      const [came = 0, first = 0, last = 0] = stamps;
      expect(Math.abs(seen.phases.ttfb - (first - came))).toBeLessThan(25);
      expect(Math.abs(seen.phases.ttlb - (last - first))).toBeLessThan(25);
    },
  );

  test('over SlowMs a good check is slow', async () => {
    await using server = await listen((socket) => void setTimeout(() => socket.write('220'), 50));
    const slow = await runTest(tcp, server.target, { SlowMs: 20, Steps: [{ Expect: '220' }] });
    const fine = await runTest(tcp, server.target, { SlowMs: 2000, Steps: [{ Expect: '220' }] });
    expect([slow.slow, fine.slow]).toEqual([true, false]);
  });

  test('a 64 KiB banner without what is expected is 7 and stays within its bound', async () => {
    await using server = await listen((socket) => void socket.write('x'.repeat(1 << 20)));
    const seen = await runTest(tcp, server.target, { Steps: [{ Expect: '220' }] }, { timeoutMs: 20_000 });
    expect(seen.code).toBe(7);
    expect(JSON.stringify(seen).length).toBeLessThan(20_000);
  });

  test.each([
    ['mail.example', 'a port is missing'],
    ['-oProxyCommand:22', "a host never begins with '-'"],
    ['mail.example:0', 'port "0" is not 1 to 65535'],
    ['mail.example:25/path', 'nothing may follow host and port'],
    ['ftp://mail.example:21', 'scheme ftp:// is not known here'],
    ['user:pw@mail.example:25', 'no user name or password may stand in this URL'],
    ['mail example:25', 'it holds a blank or a control character'],
    ['127.1:25', '"127.1" is no complete IPv4 address'],
    ['0x7f000001:25', '"0x7f000001" is no complete IPv4 address'],
    ['::1:25:', '"::1:25:" is no host (write an IPv6 address with a port as [address]:port)'],
    ['', 'it is empty'],
  ])('refuses %j and says what is accepted', (url, why) => {
    expect(tcp.parseTarget(url)).toEqual({
      ok: false,
      message: `${why}; accepted is host:port, [v6]:port, tcp://host:port or tls://host:port, for example db.example.org:5432`,
    });
  });

  test.each([
    ['mail.example:25', 'mail.example', 25],
    ['[2001:DB8::1]:25', '2001:db8::1', 25],
    ['tls://Mail.Example:465', 'mail.example', 465],
    ['tcp://müller.example:7', 'xn--mller-kva.example', 7],
  ])('reads %s', (url, host, port) => {
    expect(tcp.parseTarget(url)).toMatchObject({ ok: true, target: { host, port, display: url } });
  });
});
