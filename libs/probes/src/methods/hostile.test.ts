import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { beforeAll, expect, type TestContext, test } from 'vitest';
import { retryBecause } from '../../../../tests/harness/retry.ts';
import type { AnyProbe } from '../contract/probe.ts';
import { registry } from '../engine/registry.ts';
import { textSearch } from '../search/text-search.ts';
import { drip, flood, type HostileBehaviour, halfClose, hostileAt, once } from '../testing/hostile.ts';
import { listen, liveBytes, runTest, speakLines } from '../testing/index.ts';
import { serveMysql } from '../testing/mysql-server.ts';
import { ftp } from './ftp/ftp.ts';
import { http } from './http/http.ts';
import { imap4 } from './imap4/imap4.ts';
import { mysql } from './mysql/mysql.ts';
import { packetOf } from './mysql/packets.ts';
import { nntp } from './nntp.ts';
import { pop3 } from './pop3.ts';
import { smtp } from './smtp.ts';
import { ssh } from './ssh/ssh.ts';
import { tcp } from './tcp.ts';
import { telnet } from './telnet/telnet.ts';

/**
 * A server that is good, the check that walks through all of it, and what it can do that only its protocol makes mean.
 */
interface Subject {
  readonly probe: AnyProbe;
  readonly serve: (socket: Socket) => void;
  readonly url: (target: string) => string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Writes of the good server, each the moment at which it may turn mean. */
  readonly stages: number;
  /** Lines, or packets, after which more must follow. */
  readonly more: string | Buffer;
  readonly besides?: Readonly<Record<string, HostileBehaviour>>;
}

const login = { User: 'me', Password: 'sesame' };
/** Answers a line with what its first word, or else its second, is given. */
const answers = (table: Readonly<Record<string, string>>) => (line: string) => {
  const [first = '', second = ''] = line.split(' ');
  return table[first] ?? table[second]?.replace('TAG', first) ?? '500 what?';
};

const loginSwitch = Buffer.concat([
  Buffer.from('\xfemysql_native_password\0', 'latin1'),
  Buffer.alloc(20, 7),
]);
const raw =
  (...parts: readonly string[]) =>
  (socket: Socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part);
    });
  };

const subjects: readonly Subject[] = [
  {
    probe: smtp,
    url: (target) => `smtp://${target}`,
    options: { ...login, MailFrom: 'a@x.example', RcptTo: 'b@x.example' },
    serve: speakLines({
      greeting: '220 hi',
      answer: answers({ EHLO: '250-hi\r\n250 AUTH PLAIN', AUTH: '235 in', MAIL: '250 ok', RCPT: '250 ok' }),
    }),
    stages: 5,
    more: '250-and more\r\n',
  },
  {
    probe: pop3,
    url: (target) => `pop3://${target}`,
    options: login,
    serve: speakLines({
      greeting: '+OK hi',
      answer: answers({ USER: '+OK', PASS: '+OK', STAT: '+OK 1 100' }),
    }),
    stages: 4,
    more: '+OK\r\n',
  },
  {
    probe: imap4,
    url: (target) => `imap://${target}`,
    options: { ...login, Mailbox: 'INBOX' },
    serve: speakLines({
      greeting: '* OK hi',
      answer: answers({ CAPABILITY: 'TAG OK done', LOGIN: 'TAG OK in', EXAMINE: 'TAG OK open' }),
    }),
    stages: 4,
    more: '* 1 FETCH\r\n',
    besides: {
      'a literal of 4 GiB': flood('* 1 FETCH {4294967295}\r\nxxxx'),
      'literals for ever': flood(`* 1 FETCH {60000}\r\n${'x'.repeat(60_000)}`),
    },
  },
  {
    probe: nntp,
    url: (target) => `nntp://${target}`,
    options: { ...login, Group: 'some.group' },
    serve: speakLines({
      greeting: '200 hi',
      answer: answers({
        MODE: '200 reader',
        USER: '381 go on',
        PASS: '281 in',
        GROUP: '211 1 1 1 some.group',
      }),
    }),
    stages: 3,
    more: '200-more\r\n',
  },
  {
    probe: ftp,
    url: (target) => `ftp://${target}`,
    options: { ...login, Directory: '/pub', List: true },
    serve: speakLines({
      greeting: '220 hi',
      answer: answers({ USER: '331 who', PASS: '230 in', CWD: '250 there', EPSV: '229 (|||9|)' }),
    }),
    stages: 5,
    more: '250-more\r\n',
  },
  {
    probe: telnet,
    url: (target) => `telnet://${target}`,
    options: { ...login, ExpectPrompt: 'ready' },
    serve: speakLines({
      greeting: 'login: ',
      answer: (line) => ({ me: 'Password: ', sesame: 'ready' })[line] ?? 'login: ',
    }),
    stages: 3,
    more: 'more and more\r\n',
    besides: {
      'options for ever': flood(Buffer.from(Array.from({ length: 256 }, (_, at) => [255, 253, at]).flat())),
      'a subnegotiation without end': flood(Buffer.of(255, 250, 1, 1, 1, 1)),
    },
  },
  {
    probe: tcp,
    url: (target) => `tcp://${target}`,
    options: {
      Steps: [
        { Send: 'one\r\n', Expect: '1' },
        { Send: 'two\r\n', ExpectRegex: '^2(z|zz)*y' },
      ],
    },
    serve: speakLines({ answer: (line) => ({ one: '1', two: '2y' })[line] }),
    stages: 2,
    more: 'more\r\n',
    besides: { 'food for the pattern': once(`1\r\n2${'z'.repeat(40_000)}`) },
  },
  {
    probe: http,
    url: (target) => `http://${target}/`,
    options: { ExpectText: 'end' },
    serve: raw('HTTP/1.1 200 OK\r\n', 'Transfer-Encoding: chunked\r\n', '\r\n', '3\r\nend\r\n', '0\r\n\r\n'),
    stages: 5,
    more: 'X-More: more\r\n',
    besides: {
      'interim answers for ever': flood('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
      'endless headers': flood('HTTP/1.1 200 OK\r\nX-More: more\r\n'),
      'chunk extensions for ever': flood(`3;${'x'.repeat(1000)}`),
      'tiny chunks for ever': flood('1\r\nx\r\n'),
      'trailers for ever': flood('0\r\nX-More: more\r\n'),
    },
  },
  {
    probe: mysql,
    url: (target) => `mysql://${target}`,
    options: { User: 'probe', Password: 'right', Query: 'select 1', ExpectResult: '1' },
    serve: (socket) => serveMysql(socket),
    stages: 3,
    more: packetOf(1, Buffer.from([1, 4, 1, 1, 1, 1])),
    besides: {
      'packets of 16 MiB': flood(Buffer.concat([Buffer.of(255, 255, 255, 1), Buffer.alloc(60_000, 1)])),
      'login methods for ever': flood(packetOf(2, loginSwitch)),
    },
  },
  {
    probe: ssh,
    url: (target) => `ssh://${target}`,
    options: login,
    serve: (socket) => {
      socket.write('SSH-2.0-mean\r\n');
      socket.once('data', () => void socket.write(Buffer.from([0, 0, 0, 12, 10, 20, ...randomBytes(10)])));
    },
    stages: 2,
    more: 'a line before the version\r\n',
    besides: {
      'packets of 4 GiB': flood(Buffer.concat([Buffer.from('SSH-2.0-mean\r\n'), Buffer.alloc(1000, 255)])),
    },
  },
];

/** A file server that is mean on the data connection only. */
function fileServer(dataPort: number): (socket: Socket) => void {
  return speakLines({
    greeting: '220 hi',
    answer: answers({
      USER: '331 who',
      PASS: '230 in',
      EPSV: `229 (|||${dataPort}|)`,
      LIST: '150 here it comes',
    }),
  });
}

const mean: Readonly<Record<string, (subject: Subject) => HostileBehaviour>> = {
  'a byte at a time': ({ more }) => drip(more.toString('latin1')),
  'more lines for ever': ({ more }) => flood(more),
  'a line without end': () => flood('2'),
  'a banner of 64 KiB': () => once(`220 ${'x'.repeat(65_536)}\r\n`),
  'zeros for ever': () => flood(Buffer.alloc(1024)),
  'any bytes for ever': () => flood(randomBytes(65_536)),
  'half a close': () => halfClose,
  silence: () => () => {},
};

/** The Timeout of the checks, milliseconds: in each repetition twice as long, because a busy machine may need more. */
const timeoutOf = ({ task }: TestContext) => 1_200 * 2 ** (task.result?.retryCount ?? 0);
const maxBytes = 32 * 1024 * 1024;

// A pattern is searched by a thread, and a busy machine may take longer to start one than a check lasts.
beforeAll(() => textSearch.run({ kind: 'regex', pattern: 'a', text: 'a' }, new AbortController().signal));

test('every method over TCP meets the hostile servers', () => {
  const overTcp = Object.values(registry).filter(({ tracePackets }) => tracePackets === 'tcp');
  expect(subjects.map(({ probe }) => probe.method).toSorted()).toEqual(
    overTcp.map(({ method }) => method).toSorted(),
  );
});

test.for(subjects.map((each) => [each.probe.method, each] as const))(
  '%s ends with every hostile server in time, all of them at once in 32 MiB',
  { ...retryBecause('it measures time and memory', 4), timeout: 60_000 },
  async ([, subject], context) => {
    const timeoutMs = timeoutOf(context);
    const everywhere = Object.entries(mean).flatMap(([name, of]) =>
      Array.from({ length: subject.stages }, (_, stage) => ({ name, stage, behaviour: of(subject) })),
    );
    // At the beginning and well within.
    const special = Object.entries(subject.besides ?? {}).flatMap(([name, behaviour]) =>
      [...new Set([0, subject.stages - 2])].map((stage) => ({ name, stage, behaviour })),
    );
    const cells = [...everywhere, ...special];
    const before = liveBytes();
    const running = cells.map(async ({ name, stage, behaviour }) => {
      await using server = await listen(hostileAt(stage, subject.serve, behaviour));
      const startedMs = performance.now();
      const seen = await runTest(subject.probe, subject.url(server.target), subject.options, { timeoutMs });
      const tookMs = performance.now() - startedMs;
      return { cell: `${name}, from answer ${stage} on: ${seen.code} ${seen.text}`, code: seen.code, tookMs };
    });
    // In the middle of all of it.
    await new Promise((resolve) => setTimeout(resolve, timeoutMs / 2));
    const grown = liveBytes() - before;
    const seen = await Promise.all(running);
    expect(grown).toBeLessThan(maxBytes);
    expect(seen.filter(({ tookMs }) => tookMs >= timeoutMs + 1000)).toEqual([]);
    expect(seen.filter(({ code }) => ![1, 2, 3, 7, 8].includes(code))).toEqual([]);
  },
);

test('FTP ends with every hostile data connection', {
  ...retryBecause('it measures time and memory', 4),
  timeout: 60_000,
}, async (context) => {
  const timeoutMs = timeoutOf(context);
  const kinds: Readonly<Record<string, HostileBehaviour>> = {
    silence: () => {},
    'a byte at a time': drip('-rw-r--r-- 1 a b 1 Jan 1 00:00 x\r\n'),
    'a listing for ever': flood('-rw-r--r-- 1 a b 1 Jan 1 00:00 x\r\n'),
    'a line without end': flood('x'),
    'an end, and no word of it': halfClose,
  };
  const before = liveBytes();
  const running = Object.entries(kinds).map(async ([name, behaviour]) => {
    await using data = await listen((socket) => behaviour(socket, socket.write.bind(socket)));
    await using server = await listen(fileServer(data.port));
    const startedMs = performance.now();
    const seen = await runTest(ftp, server.target, { ...login, List: true }, { timeoutMs });
    return { name, code: seen.code, tookMs: performance.now() - startedMs };
  });
  await new Promise((resolve) => setTimeout(resolve, timeoutMs / 2));
  expect(liveBytes() - before).toBeLessThan(maxBytes);
  const seen = await Promise.all(running);
  expect(seen.map(({ name, code }) => `${name}: ${code}`)).toEqual([
    'silence: 2',
    'a byte at a time: 2',
    'a listing for ever: 7',
    'a line without end: 7',
    'an end, and no word of it: 2',
  ]);
  expect(seen.filter(({ tookMs }) => tookMs >= timeoutMs + 1000)).toEqual([]);
});
