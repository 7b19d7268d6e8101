import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { AnyProbe } from '../contract/probe.ts';
import { ftp } from '../methods/ftp/ftp.ts';
import { grpc } from '../methods/grpc/grpc.ts';
import { http } from '../methods/http/http.ts';
import { imap4 } from '../methods/imap4/imap4.ts';
import { ldap } from '../methods/ldap/ldap.ts';
import { mqtt } from '../methods/mqtt/mqtt.ts';
import { packetOf as mqttPacketOf } from '../methods/mqtt/mqtt-packets.ts';
import { mysql } from '../methods/mysql/mysql.ts';
import { packetOf } from '../methods/mysql/mysql-packets.ts';
import { nntp } from '../methods/nntp.ts';
import { pop3 } from '../methods/pop3.ts';
import { postgresql } from '../methods/postgresql/postgresql.ts';
import { messageOf } from '../methods/postgresql/postgresql-messages.ts';
import { redis } from '../methods/redis/redis.ts';
import { smtp } from '../methods/smtp.ts';
import { ssh } from '../methods/ssh/ssh.ts';
import { tcp } from '../methods/tcp.ts';
import { telnet } from '../methods/telnet/telnet.ts';
import { websocket } from '../methods/websocket/websocket.ts';
import { serveGrpc } from './grpc-server.ts';
import { result, serveDirectory } from './ldap-server.ts';
import { speakLines } from './line-server.ts';
import { flood, frame, once, type PeerBehaviour } from './malformed-peer.ts';
import { serveMqtt } from './mqtt-server.ts';
import { serveMysql } from './mysql-server.ts';
import { resultMessages, servePostgres } from './postgresql-server.ts';
import { bulk, serveRedis } from './redis-server.ts';
import { serverFrame, serveWebSocket } from './websocket-server.ts';

/** A method over TCP: a good server, a check that walks through all of it, and how its protocol can be malformed. */
export interface TcpSubject {
  readonly probe: AnyProbe;
  readonly serve: (socket: Socket) => void;
  readonly url: (target: string) => string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Writes of the good server; the peer may become malformed at each. */
  readonly stages: number;
  /** Lines or packets after which the protocol requires more. */
  readonly more: string | Buffer;
  readonly special?: Readonly<Record<string, PeerBehaviour>>;
}

export const login = { User: 'me', Password: 'sesame' };
/** The answers to lines, by their first or else their second word. */
export const answers = (table: Readonly<Record<string, string>>) => (line: string) => {
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

export const tcpSubjects: readonly TcpSubject[] = [
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
    special: {
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
    special: {
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
    special: { 'food for the pattern': once(`1\r\n2${'z'.repeat(40_000)}`) },
  },
  {
    probe: http,
    url: (target) => `http://${target}/`,
    options: { ExpectText: 'end' },
    serve: raw('HTTP/1.1 200 OK\r\n', 'Transfer-Encoding: chunked\r\n', '\r\n', '3\r\nend\r\n', '0\r\n\r\n'),
    stages: 5,
    more: 'X-More: more\r\n',
    special: {
      'interim answers for ever': flood('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
      'endless headers': flood('HTTP/1.1 200 OK\r\nX-More: more\r\n'),
      'chunk extensions for ever': flood(`3;${'x'.repeat(1000)}`),
      'tiny chunks for ever': flood('1\r\nx\r\n'),
      'trailers for ever': flood('0\r\nX-More: more\r\n'),
    },
  },
  {
    probe: ldap,
    url: (target) => `ldap://${target}`,
    options: { ...login, Base: 'dc=example' },
    serve: serveDirectory({ entries: [{ name: 'uid=a', attributes: { mail: ['a@x.example'] } }] }),
    stages: 3,
    more: Buffer.from('300702010273020400', 'hex'),
    special: {
      'messages of 4 GiB': flood(Buffer.from('3084ffffffff', 'hex')),
      'lengths without end': flood(Buffer.from('3080', 'hex')),
      'answers to others for ever': flood(Buffer.concat([Buffer.from('300c020109', 'hex'), result(0x61, 0)])),
    },
  },
  {
    probe: mysql,
    url: (target) => `mysql://${target}`,
    options: { User: 'probe', Password: 'right', Query: 'select 1', ExpectResult: '1' },
    serve: (socket) => serveMysql(socket),
    stages: 3,
    more: packetOf(1, Buffer.from([1, 4, 1, 1, 1, 1])),
    special: {
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
    special: {
      'packets of 4 GiB': flood(Buffer.concat([Buffer.from('SSH-2.0-mean\r\n'), Buffer.alloc(1000, 255)])),
    },
  },
  {
    probe: redis,
    url: (target) => `redis://${target}`,
    options: { Password: 'right', Database: 1, Command: 'KEYS *', ExpectValue: 'a' },
    serve: (socket) => serveRedis(socket, { password: 'right', answer: () => `*1\r\n${bulk('a')}` }),
    stages: 5,
    more: '*2\r\n:1\r\n',
    special: {
      'a text of 512 MiB': flood(`$536870912\r\n${'x'.repeat(60_000)}`),
      'lists of lists': flood('*1\r\n'),
      'a list of 10,000 texts': flood(`*10000\r\n${bulk('x'.repeat(60_000)).repeat(2)}`),
    },
  },
  {
    probe: postgresql,
    url: (target) => `postgresql://${target}`,
    options: { User: 'probe', Password: 'right', Query: 'select 1', ExpectResult: '1' },
    serve: (socket) => servePostgres(socket, { query: () => resultMessages([['n', 23]], [['1']]) }),
    stages: 5,
    more: messageOf('N', Buffer.from('SNOTICE\0Mmore\0\0')),
    special: {
      'messages of 2 GiB': flood(Buffer.concat([Buffer.of(78, 127, 255, 255, 255), Buffer.alloc(60_000, 1)])),
      'results without end': flood(resultMessages([['n', 23]], [['1'], ['2']])),
      'requests for a login without end': flood(messageOf('R', Buffer.of(0, 0, 0, 5, 1, 2, 3, 4))),
    },
  },
  {
    probe: mqtt,
    url: (target) => `mqtt://${target}`,
    options: { ...login, Topic: 'a', Message: 'hello' },
    serve: (socket) => serveMqtt(socket, { user: login.User, password: login.Password }),
    stages: 4,
    more: mqttPacketOf(3, 0, Buffer.from('\0\x01amore')),
    special: {
      'messages of 256 MiB': flood(
        Buffer.concat([Buffer.of(0x30, 255, 255, 255, 127, 0, 1, 97), Buffer.alloc(60_000, 1)]),
      ),
      'messages to acknowledge without end': flood(mqttPacketOf(3, 2, Buffer.from('\0\x01a\0\x07more'))),
      'empty packets without end': flood(Buffer.of(0xd0, 0)),
    },
  },
  {
    probe: websocket,
    url: (target) => `ws://${target}/`,
    options: { ...login, Send: 'hello', ExpectRegex: '^h(e|ee)*llo$' },
    serve: (socket) => serveWebSocket(socket),
    stages: 2,
    more: serverFrame(1, 'more', false),
    special: {
      'headers without end': flood('HTTP/1.1 101 Switching Protocols\r\nX-More: more\r\n'),
      'pings without end': flood(serverFrame(9, 'there?')),
      'messages without end': flood(serverFrame(1, 'x'.repeat(1000))),
      'food for the pattern': flood(serverFrame(1, `h${'e'.repeat(5000)}x`)),
      'empty parts without end': flood(serverFrame(0, '', false)),
      'a frame of 4 PiB': flood(Buffer.concat([Buffer.of(0x81, 127, 0, 16), Buffer.alloc(60_000)])),
    },
  },
  {
    probe: grpc,
    url: (target) => `grpc://${target}`,
    options: { Service: 'a.B' },
    serve: serveGrpc(),
    stages: 4,
    more: frame(0, 0, 1, Buffer.alloc(1)),
    special: {
      'data without end': flood(frame(0, 0, 1, Buffer.alloc(16_384))),
      'pings of HTTP/2 without end': flood(frame(6, 0, 0, Buffer.alloc(8))),
    },
  },
];
