import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, test } from 'vitest';
import { retryBecause } from '../../../../tests/harness/retry.ts';
import type { AnyProbe } from '../contract/probe.ts';
import { dns } from '../methods/dns/dns.ts';
import { ftp } from '../methods/ftp/ftp.ts';
import { http } from '../methods/http/http.ts';
import { imap4 } from '../methods/imap4/imap4.ts';
import { mysql } from '../methods/mysql/mysql.ts';
import { packetOf } from '../methods/mysql/packets.ts';
import { nntp } from '../methods/nntp.ts';
import { pop3 } from '../methods/pop3.ts';
import { smtp } from '../methods/smtp.ts';
import { tcp } from '../methods/tcp.ts';
import { telnet } from '../methods/telnet/telnet.ts';
import { drip, flood, type HostileBehaviour, halfClose, once } from '../testing/hostile.ts';
import {
  addressOf,
  listen,
  liveBytes,
  makeCertificate,
  runTest,
  speakLines,
  startSite,
} from '../testing/index.ts';
import { greetingPacket } from '../testing/mysql-server.ts';

const timeoutMs = 1200;
const maxBytes = 32 * 1024 * 1024;
/** A record of the handshake (RFC 8446 section 5.1) with nothing in it that makes sense. */
const record = Buffer.concat([Buffer.of(22, 3, 3, 64, 0), Buffer.alloc(16_384)]);
/** A server's hello that announces 16 MiB. */
const endless = Buffer.concat([Buffer.of(22, 3, 3, 64, 0, 2, 255, 255, 255), Buffer.alloc(16_380, 1)]);

const meannesses: Readonly<Record<string, HostileBehaviour>> = {
  'a record, a byte at a time': drip(record.toString('latin1')),
  'a hello without end': flood(endless),
  'empty records for ever': flood(Buffer.of(22, 3, 3, 0, 0)),
  'alerts for ever': flood(Buffer.of(21, 3, 3, 0, 2, 1, 0)),
  'text for ever': flood('220 this is no TLS\r\n'),
  'any bytes for ever': flood(randomBytes(65_536)),
  'half a close': halfClose,
  silence: () => {},
  'an alert': once(Buffer.of(21, 3, 3, 0, 2, 2, 40)),
};

type Way = readonly [AnyProbe, string, object?];
const atOnce: readonly Way[] = [
  [smtp, 'smtps://'],
  [pop3, 'pop3s://'],
  [imap4, 'imaps://'],
  [nntp, 'nntps://'],
  [ftp, 'ftps://'],
  [telnet, 'telnets://'],
  [tcp, 'tls://'],
  [http, 'https://'],
  [mysql, 'mysql://', { TLS: { Mode: 'Implicit' } }],
  [dns, 'dns://', { Transport: 'TLS' }],
];

const StartTLS = { TLS: { Mode: 'StartTLS' } };
const greeting = packetOf(0, greetingPacket(randomBytes(20), 'mysql_native_password', true));
const starters: readonly (readonly [...Way, (socket: Socket, mean: () => void) => void])[] = (
  [
    [smtp, 'smtp://', '220 hi', { EHLO: '250-hi\r\n250 STARTTLS', STARTTLS: '220 go' }],
    [pop3, 'pop3://', '+OK hi', { STLS: '+OK go' }],
    [imap4, 'imap://', '* OK hi', { a1: 'a1 OK go' }],
    [nntp, 'nntp://', '200 hi', { STARTTLS: '382 go' }],
    [ftp, 'ftp://', '220 hi', { AUTH: '234 go' }],
  ] as const
).map(([probe, scheme, hello, table]) => [
  probe,
  scheme,
  StartTLS,
  (socket, mean) => {
    const agreed = Object.values(table).at(-1);
    speakLines({
      greeting: hello,
      answer: (line) => new Map<string, string>(Object.entries(table)).get(line.split(' ')[0] ?? ''),
    })(socket);
    const write = socket.write.bind(socket);
    const watching = (bytes: Buffer | string): boolean => {
      const done = write(bytes);
      if (String(bytes).startsWith(String(agreed))) mean();
      return done;
    };
    Object.assign(socket, { write: watching });
  },
]);

async function check(probe: AnyProbe, url: string, options: object, serve: (socket: Socket) => void) {
  await using server = await listen(serve);
  const place = probe === dns ? `${url}${server.target}/x.example` : `${url}${server.target}`;
  const startedMs = performance.now();
  const seen = await runTest(probe, place, options, { timeoutMs });
  return {
    text: `${probe.method} ${seen.code} ${seen.text}`,
    code: seen.code,
    tookMs: performance.now() - startedMs,
  };
}

/** Runs all at once, weighs them in the middle. */
async function together(running: readonly ReturnType<typeof check>[], codes: readonly number[]) {
  const before = liveBytes();
  await new Promise((resolve) => setTimeout(resolve, timeoutMs / 2));
  const grown = liveBytes() - before;
  const seen = await Promise.all(running);
  expect(grown).toBeLessThan(maxBytes);
  expect(seen.filter(({ tookMs }) => tookMs >= timeoutMs + 1000)).toEqual([]);
  expect(seen.filter(({ code }) => !codes.includes(code))).toEqual([]);
  return seen;
}

test.each(Object.entries(meannesses))(
  'a server whose TLS is %s ends every method that speaks it',
  retryBecause('it measures time and memory', 4),
  async (_name, mean) => {
    const running = atOnce.map(([probe, scheme, options = {}]) =>
      check(probe, scheme, options, (socket) => mean(socket, socket.write.bind(socket))),
    );
    const later = starters.map(([probe, scheme, options = {}, start]) =>
      check(probe, scheme, options, (socket) => {
        const write = socket.write.bind(socket);
        start(socket, () => setImmediate(() => mean(socket, write)));
      }),
    );
    const onMysql = check(mysql, 'mysql://', StartTLS, (socket) => {
      const write = socket.write.bind(socket);
      write(greeting);
      socket.once('data', () => mean(socket, write));
    });
    // 3: what comes along with the very line that agrees is no TLS yet.
    const seen = await together([...running, ...later, onMysql], [2, 3, 6]);
    expect(seen.slice(0, running.length).filter(({ code }) => code === 3)).toEqual([]);
  },
);

/** A frame of HTTP/2 (RFC 9113 section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const settings = frame(4, 0, 0, Buffer.alloc(0));
/** `:status: 200` by its place in the static table. */
const ok = Buffer.of(0x88);
/** A header field without index, of 1000 bytes. */
const field = Buffer.concat([Buffer.from('\0\x06x-more\x7f\xe9\x06', 'latin1'), Buffer.alloc(1000, 120)]);

test.each([
  ['settings for ever', [settings], flood(frame(4, 0, 0, Buffer.from('000300000064', 'hex')))],
  ['pings for ever', [settings], flood(frame(6, 0, 0, Buffer.alloc(8)))],
  ['headers for ever', [settings, frame(1, 0, 1, ok)], flood(frame(9, 0, 1, field))],
  ['empty continuations for ever', [settings, frame(1, 0, 1, ok)], flood(frame(9, 0, 1, Buffer.alloc(0)))],
  ['a body for ever', [settings, frame(1, 4, 1, ok)], flood(frame(0, 0, 1, Buffer.alloc(16_384)))],
  ['empty pieces of body for ever', [settings, frame(1, 4, 1, ok)], flood(frame(0, 0, 1, Buffer.alloc(0)))],
  ['promises for ever', [settings], flood(frame(5, 4, 1, Buffer.concat([Buffer.of(0, 0, 0, 2), ok])))],
  ['unknown frames for ever', [settings], flood(frame(77, 0, 0, Buffer.alloc(16_384)))],
  ['a byte at a time', [settings], drip(frame(1, 4, 1, field).toString('latin1'))],
  ['no HTTP/2 at all', [], flood('220 what?\r\n')],
  ['nothing', [settings], (() => {}) satisfies HostileBehaviour],
])(
  'an HTTP/2 server that sends %s is ended in time',
  retryBecause('it measures time and memory', 4),
  async (_name, first, mean) => {
    const { cert, key } = makeCertificate();
    const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
      socket.on('error', () => {}).resume();
      for (const each of first) socket.write(each);
      socket.once('data', () => mean(socket, socket.write.bind(socket)));
    });
    await using site = await startSite(server, 'https');
    const before = liveBytes();
    const startedMs = performance.now();
    let tookMs = 0;
    const running = runTest(http, site.url, { TLS: { CA: cert } }, { timeoutMs }).finally(() => {
      tookMs = performance.now() - startedMs;
    });
    await new Promise((resolve) => setTimeout(resolve, timeoutMs / 2));
    expect(liveBytes() - before).toBeLessThan(maxBytes);
    const seen = await running;
    expect(tookMs).toBeLessThan(timeoutMs + 1000);
    expect([2, 3, 7], seen.text).toContain(seen.code);
  },
);

test.each([
  ['answers to other questions', (query: Buffer) => Buffer.concat([randomBytes(2), query.subarray(2)])],
  ['its own question back', (query: Buffer) => query],
  [
    'names that point at themselves',
    (query: Buffer) =>
      Buffer.concat([
        query.subarray(0, 2),
        Buffer.from('818000010001000000000000c00c', 'hex'),
        Buffer.alloc(1000, 0xc0),
      ]),
  ],
  [
    '65535 records that are not there',
    (query: Buffer) =>
      Buffer.concat([query.subarray(0, 2), Buffer.from('81800001ffffffffffff', 'hex'), query.subarray(12)]),
  ],
  ['nothing but a head', (query: Buffer) => query.subarray(0, 6)],
])(
  'a name server that sends %s is ended in time',
  retryBecause('it measures time and memory', 4),
  async (_name, reply) => {
    const socket = createSocket('udp4');
    let sending: NodeJS.Timeout | undefined;
    socket.on('message', (query, from) => {
      clearInterval(sending);
      sending = setInterval(() => {
        for (let i = 0; i < 50; i += 1) socket.send(reply(query), from.port, from.address);
      }, 5);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const startedMs = performance.now();
    const seen = await runTest(
      dns,
      `dns://127.0.0.1:${addressOf(socket.address()).port}/x.example`,
      {},
      { timeoutMs },
    );
    expect(performance.now() - startedMs).toBeLessThan(timeoutMs + 1000);
    expect([2, 3], seen.text).toContain(seen.code);
    clearInterval(sending);
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  },
);
