import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { retryBecause } from '@vantage/testing/retry';
import { beforeAll, expect, type TestContext, test } from 'vitest';
import type { AnyProbe } from '../contract/probe.ts';
import { registry } from '../engine/registry.ts';
import { dns } from '../methods/dns/dns.ts';
import { ftp } from '../methods/ftp/ftp.ts';
import { grpc } from '../methods/grpc/grpc.ts';
import { http } from '../methods/http/http.ts';
import { imap4 } from '../methods/imap4/imap4.ts';
import { mqtt } from '../methods/mqtt/mqtt.ts';
import { mysql } from '../methods/mysql/mysql.ts';
import { packetOf } from '../methods/mysql/mysql-packets.ts';
import { nntp } from '../methods/nntp.ts';
import { pop3 } from '../methods/pop3.ts';
import { postgresql } from '../methods/postgresql/postgresql.ts';
import { redis } from '../methods/redis/redis.ts';
import { smtp } from '../methods/smtp.ts';
import { tcp } from '../methods/tcp.ts';
import { telnet } from '../methods/telnet/telnet.ts';
import { websocket } from '../methods/websocket/websocket.ts';
import { textSearch } from '../search/text-search.ts';
import { addressOf, listen, liveBytes, makeCertificate, runTest, speakLines, startSite } from './index.ts';
import {
  drip,
  flood,
  halfClose,
  malformedAnswers,
  malformedAt,
  malformedHttp2,
  malformedNameReplies,
  malformedTls,
  type PeerBehaviour,
  silence,
} from './malformed-peer.ts';
import { greetingPacket } from './mysql-server.ts';
import { answers, login, tcpSubjects } from './tcp-subjects.ts';

const maxBytes = 32 * 1024 * 1024;
const repeated = { ...retryBecause('it measures time and memory', 4), timeout: 60_000 };

/** A check of a malformed peer. */
interface Case {
  readonly name: string;
  readonly run: (timeoutMs: number) => Promise<{ readonly code: number; readonly text: string }>;
}

/**
 * Runs all checks at once. Each must end within its Timeout and a second, with one of the codes, and all together in
 * 32 MiB.
 */
async function expectEnds(cases: readonly Case[], codes: readonly number[], { task }: TestContext) {
  // Twice as long in each repetition: a busy machine may need more.
  const timeoutMs = 1_200 * 2 ** (task.result?.retryCount ?? 0);
  const before = liveBytes();
  const running = cases.map(async ({ name, run }) => {
    const startedMs = performance.now();
    const { code, text } = await run(timeoutMs);
    return { name, code, text, tookMs: performance.now() - startedMs };
  });
  await new Promise((resolve) => setTimeout(resolve, timeoutMs / 2));
  const grown = liveBytes() - before;
  const seen = await Promise.all(running);
  expect(grown).toBeLessThan(maxBytes);
  expect(seen.filter(({ tookMs }) => tookMs >= timeoutMs + 1000)).toEqual([]);
  expect(seen.filter(({ code }) => !codes.includes(code))).toEqual([]);
  return seen;
}

/** A check of a server at an address that `urlOf` makes a URL. */
function caseOf(
  name: string,
  probe: AnyProbe,
  serve: (socket: Socket) => void,
  urlOf: (target: string) => string,
  options: Readonly<Record<string, unknown>> = {},
): Case {
  return {
    name,
    async run(timeoutMs) {
      await using server = await listen(serve);
      return await runTest(probe, urlOf(server.target), options, { timeoutMs });
    },
  };
}

// A pattern is searched by a thread, and a busy machine may take longer to start one than a check lasts.
beforeAll(() => textSearch.run({ kind: 'regex', pattern: 'a', text: 'a' }, new AbortController().signal));

test('every method over TCP meets the malformed peers', () => {
  const overTcp = Object.values(registry).filter(({ tracePackets }) => tracePackets === 'tcp');
  expect(tcpSubjects.map(({ probe }) => probe.method).toSorted()).toEqual(
    overTcp.map(({ method }) => method).toSorted(),
  );
});

test.for(tcpSubjects.map((subject) => [subject.probe.method, subject] as const))(
  '%s ends with every malformed peer',
  repeated,
  async ([, { probe, serve, url, options, stages, more, special = {} }], context) => {
    const at = (stage: number, [name, behaviour]: readonly [string, PeerBehaviour]) =>
      caseOf(`${name}, from answer ${stage} on`, probe, malformedAt(stage, serve, behaviour), url, options);
    const everywhere = Object.entries(malformedAnswers(more)).flatMap((answer) =>
      Array.from({ length: stages }, (_, stage) => at(stage, answer)),
    );
    // At the beginning and well within.
    const specially = Object.entries(special).flatMap((answer) =>
      [...new Set([0, stages - 2])].map((stage) => at(stage, answer)),
    );
    await expectEnds([...everywhere, ...specially], [1, 2, 3, 7, 8], context);
  },
);

test('FTP ends with every malformed data connection', repeated, async (context) => {
  const listing = '-rw-r--r-- 1 a b 1 Jan 1 00:00 x\r\n';
  const behaviours: readonly (readonly [name: string, behaviour: PeerBehaviour, code: number])[] = [
    ['silence', silence, 2],
    ['a byte at a time', drip(listing), 2],
    ['a listing without end', flood(listing), 7],
    ['a line without end', flood('x'), 7],
    ['an end of the data alone', halfClose, 2],
  ];
  const cases = behaviours.map(
    ([name, behaviour]): Case => ({
      name,
      async run(timeoutMs) {
        await using data = await listen((socket) => behaviour(socket, socket.write.bind(socket)));
        const answer = answers({
          USER: '331 who',
          PASS: '230 in',
          EPSV: `229 (|||${data.port}|)`,
          LIST: '150 here it comes',
        });
        await using server = await listen(speakLines({ greeting: '220 hi', answer }));
        return await runTest(ftp, server.target, { ...login, List: true }, { timeoutMs });
      },
    }),
  );
  const seen = await expectEnds(cases, [2, 7], context);
  expect(seen.map(({ code }) => code)).toEqual(behaviours.map(([, , code]) => code));
});

const implicitTls: readonly (readonly [AnyProbe, string, object?])[] = [
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
  [redis, 'rediss://'],
  [grpc, 'grpcs://'],
  [websocket, 'wss://'],
  [mqtt, 'mqtts://'],
  [postgresql, 'postgresql://', { TLS: { Mode: 'Implicit' } }],
];

/** The greeting of each method, and its answers until the peer agrees to TLS by the last one. */
const startTls: readonly (readonly [AnyProbe, string, string, Readonly<Record<string, string>>])[] = [
  [smtp, 'smtp://', '220 hi', { EHLO: '250-hi\r\n250 STARTTLS', STARTTLS: '220 go' }],
  [pop3, 'pop3://', '+OK hi', { STLS: '+OK go' }],
  [imap4, 'imap://', '* OK hi', { a1: 'a1 OK go' }],
  [nntp, 'nntp://', '200 hi', { STARTTLS: '382 go' }],
  [ftp, 'ftp://', '220 hi', { AUTH: '234 go' }],
];
const options = { TLS: { Mode: 'StartTLS' } };
const mysqlGreeting = packetOf(0, greetingPacket(randomBytes(20), 'mysql_native_password', true));

/** Speaks the lines of a method, and behaves otherwise once it has agreed to TLS. */
function agreeToTls(
  greeting: string,
  table: Readonly<Record<string, string>>,
  behaviour: PeerBehaviour,
): (socket: Socket) => void {
  const agreed = Object.values(table).at(-1) ?? '';
  return (socket) => {
    const write = socket.write.bind(socket);
    speakLines({ greeting, answer: (line) => table[line.split(' ')[0] ?? ''] })(socket);
    const watching = (bytes: Buffer | string): boolean => {
      const done = write(bytes);
      if (String(bytes).startsWith(agreed)) setImmediate(() => behaviour(socket, write));
      return done;
    };
    Object.assign(socket, { write: watching });
  };
}

test.for(Object.entries(malformedTls))(
  'a peer whose TLS is %s ends every method that speaks it',
  repeated,
  async ([, behaviour], context) => {
    const atOnce = implicitTls.map(([probe, scheme, more = {}]) =>
      caseOf(
        probe.method,
        probe,
        (socket) => behaviour(socket, socket.write.bind(socket)),
        (target) => `${scheme}${target}${probe === dns ? '/x.example' : ''}`,
        { ...more },
      ),
    );
    const later = startTls.map(([probe, scheme, greeting, table]) =>
      caseOf(
        `${probe.method} by STARTTLS`,
        probe,
        agreeToTls(greeting, table, behaviour),
        (target) => `${scheme}${target}`,
        options,
      ),
    );
    const onMysql = (socket: Socket) => {
      const write = socket.write.bind(socket);
      write(mysqlGreeting);
      socket.once('data', () => behaviour(socket, write));
    };
    const laterMysql = caseOf('MySQL by STARTTLS', mysql, onMysql, (target) => `mysql://${target}`, options);
    const onPostgres = (socket: Socket) => {
      socket.once('data', () => {
        socket.write('S', () => behaviour(socket, socket.write.bind(socket)));
      });
    };
    const laterPostgres = caseOf('PostgreSQL by STARTTLS', postgresql, onPostgres, String, options);
    const seen = await expectEnds([...atOnce, ...later, laterMysql, laterPostgres], [2, 3, 6], context);
    // 3: what comes along with the very line that agrees is no TLS yet.
    expect(seen.slice(0, atOnce.length).filter(({ code }) => code === 3)).toEqual([]);
  },
);

test.for(malformedHttp2)(
  'HTTP ends with an HTTP/2 peer that sends %s',
  repeated,
  async ([name, first, behaviour], context) => {
    const { cert, key } = makeCertificate();
    const run = async (timeoutMs: number) => {
      const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
        socket.on('error', () => {}).resume();
        for (const bytes of first) socket.write(bytes);
        socket.once('data', () => behaviour(socket, socket.write.bind(socket)));
      });
      await using site = await startSite(server, 'https');
      return await runTest(http, site.url, { TLS: { CA: cert } }, { timeoutMs });
    };
    await expectEnds([{ name, run }], [2, 3, 7], context);
  },
);

test.for(malformedHttp2)(
  'gRPC ends with an HTTP/2 peer that sends %s',
  repeated,
  async ([name, first, behaviour], context) => {
    const serve = (socket: Socket) => {
      for (const bytes of first) socket.write(bytes);
      socket.once('data', () => behaviour(socket, socket.write.bind(socket)));
    };
    await expectEnds([caseOf(name, grpc, serve, (target) => `grpc://${target}`)], [2, 3], context);
  },
);

test.for(Object.entries(malformedNameReplies))(
  'DNS ends with a name server that sends %s',
  repeated,
  async ([name, reply], context) => {
    const run = async (timeoutMs: number) => {
      const socket = createSocket('udp4');
      let sending: NodeJS.Timeout | undefined;
      socket.on('message', (query, from) => {
        clearInterval(sending);
        sending = setInterval(() => {
          for (let i = 0; i < 50; i += 1) socket.send(reply(query), from.port, from.address);
        }, 5);
      });
      await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
      const { port } = addressOf(socket.address());
      try {
        return await runTest(dns, `dns://127.0.0.1:${port}/x.example`, {}, { timeoutMs });
      } finally {
        clearInterval(sending);
        await new Promise<void>((resolve) => socket.close(() => resolve()));
      }
    };
    await expectEnds([{ name, run }], [2, 3], context);
  },
);
