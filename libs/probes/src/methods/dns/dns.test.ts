import { createSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import { decode } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import { createDial } from '../../net/dial.ts';
import { createNames } from '../../net/resolve.ts';
import { answerBytes, closedPort, listen, probeContract, runTest, serveNames } from '../../testing/index.ts';
import { dns } from './dns.ts';

const a = (name: string, data: string) => ({ type: 'A' as const, name, ttl: 60, data });

/** The stream side of a name server that knows one address. */
function overTcp(socket: Socket): void {
  socket.once('data', (chunk) => {
    const query = decode(chunk.subarray(2));
    const bytes = answerBytes(query, { answers: [a('www.example', '192.0.2.1')] });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    socket.write(Buffer.concat([length, bytes]));
  });
}

probeContract({
  probe: dns,
  serverFirst: false,
  url: (port) => `dns://127.0.0.1:${port}/www.example`,
  options: { Transport: 'TCP' },
  withSecret: (port, secret) => ({
    url: `dns://127.0.0.1:${port}/www.example`,
    options: { Transport: 'TLS', TLS: { ClientKey: secret } },
  }),
  serve: overTcp,
});

describe('DNS', () => {
  test('an answer is good, with its records in text and extended data and no connect', async () => {
    await using server = await serveNames(() => ({ answers: [a('www.example', '192.0.2.1')] }));
    const seen = await runTest(dns, `dns://${server.target}/www.example?type=A`);
    expect(seen).toMatchObject({ code: 1, text: 'www.example A: 192.0.2.1' });
    expect(seen.phases).toMatchObject({ dns: 0, connect: 0, ssl: 0 });
    expect(seen.phases.ttfb).toBeGreaterThan(0);
    expect(seen.extended).toMatchObject({
      Address: server.target,
      Rcode: 'NOERROR',
      Answers: [{ Name: 'www.example', Type: 'A', TTL: 60, Data: '192.0.2.1' }],
    });
  });

  test.each([
    ['AAAA', { type: 'AAAA' as const, name: 'x.example', data: '2001:db8::1' }, '2001:0DB8:0:0:0:0:0:1'],
    [
      'MX',
      { type: 'MX' as const, name: 'x.example', data: { preference: 10, exchange: 'mail.example' } },
      '10 Mail.Example.',
    ],
    ['TXT', { type: 'TXT' as const, name: 'x.example', data: ['v=spf1 ', '-all'] }, 'v=spf1 -all'],
    ['NS', { type: 'NS' as const, name: 'x.example', data: 'ns.example' }, 'ns.example'],
    [
      'SRV',
      {
        type: 'SRV' as const,
        name: 'x.example',
        data: { priority: 1, weight: 2, port: 5060, target: 'sip.example' },
      },
      '1 2 5060 sip.example',
    ],
    ['PTR', { type: 'PTR' as const, name: 'x.example', data: 'host.example' }, 'host.example'],
    [
      'CAA',
      {
        type: 'CAA' as const,
        name: 'x.example',
        data: { flags: 0, tag: 'issue' as const, value: 'ca.example' },
      },
      '0 issue "ca.example"',
    ],
    [
      'SOA',
      {
        type: 'SOA' as const,
        name: 'x.example',
        data: {
          mname: 'ns.example',
          rname: 'root.example',
          serial: 7,
          refresh: 1,
          retry: 2,
          expire: 3,
          minimum: 4,
        },
      },
      'ns.example root.example 7 1 2 3 4',
    ],
    [
      'DNSKEY',
      {
        type: 'DNSKEY' as const,
        name: 'x.example',
        data: { flags: 257, algorithm: 13, key: Buffer.from('key') },
      },
      '257 3 13 a2V5',
    ],
  ])('reads %s records', async (type, record, expected) => {
    await using server = await serveNames(() => ({ answers: [record] }));
    const seen = await runTest(dns, `dns://${server.target}/x.example`, { Type: type, Expect: [expected] });
    expect(seen, seen.text).toMatchObject({ code: 1 });
  });

  test('expected answers may come in any order, and what is missing or too much is named', async () => {
    await using server = await serveNames(() => ({
      answers: [a('w.example', '192.0.2.1'), a('w.example', '192.0.2.2')],
    }));
    const look = (Expect: string[]) => runTest(dns, `dns://${server.target}/w.example`, { Expect });
    expect(await look(['192.0.2.2', '192.0.2.1'])).toMatchObject({ code: 1 });
    expect(await look(['192.0.2.2', '192.0.2.3'])).toMatchObject({
      code: 7,
      text: 'w.example A: missing "192.0.2.3"; not expected "192.0.2.1"',
    });
  });

  test.each([
    [3, {}, 5, 'w.example does not exist (NXDOMAIN, says SERVER)'],
    [2, {}, 5, 'SERVER failed on w.example (SERVFAIL)'],
    [5, {}, 3, 'SERVER answers REFUSED for w.example'],
    [0, {}, 5, 'w.example has no A record (says SERVER)'],
    [3, { ExpectRcode: 'NXDOMAIN' }, 1, 'w.example A: NXDOMAIN'],
    [0, { ExpectRcode: 'NXDOMAIN' }, 7, 'expected NXDOMAIN for w.example, got NOERROR'],
  ])('a response code %i with %o is %i', async (rcode, options, code, text) => {
    await using server = await serveNames(() => ({ rcode }));
    const seen = await runTest(dns, `dns://${server.target}/w.example`, options);
    expect(seen).toMatchObject({ code, text: text.replace('SERVER', server.target) });
  });

  test('answers with another id or to another question are passed over', async () => {
    await using server = await serveNames((question, query) => {
      const forged = answerBytes(
        { ...query, id: ((query.id ?? 0) + 1) % 65_536 },
        { answers: [a('w.example', '203.0.113.6')] },
      );
      const other = answerBytes({ ...query, questions: [{ ...question, name: 'o.example' }] }, {});
      return server.questions.length === 1
        ? forged
        : server.questions.length === 2
          ? other
          : { answers: [a('w.example', '192.0.2.1')] };
    });
    const seen = await runTest(dns, `dns://${server.target}/w.example`, {}, { timeoutMs: 20_000 });
    expect(seen).toMatchObject({
      code: 1,
      text: 'w.example A: 192.0.2.1',
      extended: { Ignored: 2, Sent: 3 },
    });
  });

  test('a silent server is 2 at the timeout, with the wait in ttfb', async () => {
    await using server = await serveNames(() => undefined);
    const seen = await runTest(dns, `dns://${server.target}/w.example`, {}, { timeoutMs: 2_000 });
    expect(seen).toMatchObject({ code: 2, text: `no answer from ${server.target} within 2 s` });
    // A busy machine takes a part of the time until something goes out.
    expect(seen.phases.ttfb).toBeGreaterThan(150);
  });

  test('a closed port and a malformed answer are 3 at once', async () => {
    const gone = `127.0.0.1:${closedPort}`;
    expect(await runTest(dns, `dns://${gone}/w.example`)).toMatchObject({
      code: 3,
      text: `connection refused by ${gone}`,
    });
    await using bad = await serveNames((_question, query) => {
      const bytes = answerBytes(query, { answers: [a('w.example', '192.0.2.1')] });
      bytes.writeUInt16BE(9, 6);
      return bytes;
    });
    expect(await runTest(dns, `dns://${bad.target}/w.example`)).toMatchObject({ code: 3 });
  });

  test('a truncated answer is asked for again over TCP', async () => {
    await using stream = await listen(overTcp);
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(stream.port, '127.0.0.1', resolve));
    socket.on('message', (message, from) =>
      socket.send(answerBytes(decode(message), { truncated: true }), from.port),
    );
    const seen = await runTest(dns, `dns://127.0.0.1:${stream.port}/www.example`);
    await new Promise<void>((resolve) => socket.close(resolve));
    expect(seen).toMatchObject({ code: 1, extended: { TruncatedOverUDP: true } });
    expect(seen.phases.connect).toBeGreaterThan(0);
  });

  test('SOA serials of several servers are compared', async () => {
    const soa = (serial: number) =>
      serveNames((question) => ({
        answers: [
          { type: 'SOA', name: question.name, data: { mname: 'ns.example', rname: 'root.example', serial } },
        ],
      }));
    await using first = await soa(7);
    await using same = await soa(7);
    await using older = await soa(6);
    const look = (server: string) =>
      runTest(dns, `dns://${first.target}/example`, { Type: 'SOA', CompareSOAWith: [server] });
    expect(await look(same.target)).toMatchObject({
      code: 1,
      extended: { Serials: { [first.target]: 7, [same.target]: 7 } },
    });
    expect(await look(older.target)).toMatchObject({
      code: 7,
      text: `SOA serials of example differ: 7 at ${first.target}, 6 at ${older.target}`,
    });
  });

  test("a bare name asks the agent's resolvers: silent ones are the agent's fault, a silent zone is not", async () => {
    await using dead = await serveNames(() => undefined);
    await using partial = await serveNames((question) => (question.name === '.' ? {} : undefined));
    await using alive = await serveNames((question) => ({ answers: [a(question.name, '192.0.2.9')] }));
    const look = (...servers: string[]) =>
      runTest(
        dns,
        'w.example',
        {},
        { timeoutMs: 2_400, dial: createDial({ names: createNames({ servers }) }) },
      );
    expect(await look(alive.target)).toMatchObject({ code: 1, text: 'w.example A: 192.0.2.9' });
    expect(await look(dead.target, alive.target)).toMatchObject({ code: 1 });
    expect(await look(dead.target)).toMatchObject({ code: 10 });
    expect(await look(partial.target)).toMatchObject({ code: 5 });
  });

  test('a PTR question for an address asks for its reverse name', async () => {
    await using server = await serveNames((question) => ({
      answers: [{ type: 'PTR', name: question.name, data: 'h.example' }],
    }));
    await runTest(dns, `dns://${server.target}/192.0.2.7?type=PTR`);
    expect(server.questions).toEqual(['7.2.0.192.in-addr.arpa PTR']);
  });

  test.each([
    '',
    '-x.example',
    'dns://10.0.0.1',
    'dns://10.0.0.1/x?type=ANY',
    'dns://10.0.0.1/x?a=b',
    'a..b',
    'http://x/y',
  ])('refuses %j and says what is accepted', (url) => {
    const found = dns.parseTarget(url);
    expect(found.ok ? 'accepted' : found.message).toContain('accepted is a name');
  });
});
