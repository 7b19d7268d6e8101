// The real server of each Method: its start, its checks and its faults.

import { execFileSync } from 'node:child_process';
import type { Method } from '@vantage/domain';
import { grpcPlace } from './grpc-place.ts';
import { startDovecot, startPostfix } from './mail-servers.ts';
import { mqttPlace } from './mqtt-place.ts';
import { startUnbound } from './name-servers.ts';
import { group, startInn } from './news-server.ts';
import type { Place } from './place.ts';
import { postgresqlPlace } from './postgresql-place.ts';
import { redisPlace } from './redis-place.ts';
import { startMariadb, startNginx, startSshd, startTelnetd, startTlsFront, startVsftpd } from './servers.ts';
import { login, type packages, type Server, type ServersFixture } from './servers-fixture.ts';
import { websocketPlace } from './websocket-place.ts';

/** The part of the table; each has a test file. */
export type Part = 'web' | 'mail' | 'files' | 'data';

/** The real server of a Method, as the table needs it. */
export interface Row {
  readonly method: Method;
  readonly part: Part;
  readonly needs: readonly (keyof typeof packages)[];
  /** Starts the server. `port` is without TLS; the table checks TLS at `tls` (with `tlsOptions`). */
  start(fixture: ServersFixture): Promise<Place>;
}

const credentials = { User: login.user, Password: login.password };
const wrong = { ...credentials, Password: 'not-it' };

function place(server: AsyncDisposable, rest: Omit<Place, typeof Symbol.asyncDispose>): Place {
  return { ...rest, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const nginxPlace = async (
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<Place> => {
  const plain = await startNginx(fixture);
  const secure = await startNginx(fixture, fixture.certificates[name]);
  const both = {
    async [Symbol.asyncDispose]() {
      await plain[Symbol.asyncDispose]();
      await secure[Symbol.asyncDispose]();
    },
  };
  return place(both, {
    port: plain.port,
    url: (port) => `http://127.0.0.1:${port}/`,
    options: { ExpectText: 'it works' },
    wrongPassword: wrong,
    privateUrl: (port) => `http://127.0.0.1:${port}/private.txt`,
    wrongExpectation: { ExpectText: 'something else' },
    tls: { port: secure.port, url: (port) => `https://127.0.0.1:${port}/`, mode: 'Implicit' },
    again: (certificate) => nginxPlace(fixture, certificate),
    middle: 40,
  });
};

const tcpPlace = async (fixture: ServersFixture, name: 'good' | 'expired' | 'wrongName'): Promise<Place> => {
  const http = await nginxPlace(fixture, name);
  const steps = (expect: string) => ({ Steps: [{ Send: 'GET / HTTP/1.0\r\n\r\n', Expect: expect }] });
  return place(http, {
    port: http.port,
    url: (port) => `127.0.0.1:${port}`,
    options: steps('it works'),
    wrongExpectation: steps('something else'),
    tls: { port: http.tls?.port ?? 0, mode: 'Implicit' },
    again: (certificate) => tcpPlace(fixture, certificate),
    middle: 40,
  });
};

const smtpPlace = async (fixture: ServersFixture, name: 'good' | 'expired' | 'wrongName'): Promise<Place> => {
  const dovecot = await startDovecot(fixture, fixture.certificates.good);
  const server = await startPostfix(fixture, fixture.certificates[name], dovecot.authSocket);
  const tls = { Mode: 'StartTLS', CA: fixture.certificates.ca };
  const both = {
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await dovecot[Symbol.asyncDispose]();
    },
  };
  return place(both, {
    port: server.port,
    url: (port) => `smtp://127.0.0.1:${port}`,
    options: {},
    wrongPassword: { ...wrong, TLS: tls },
    wrongExpectation: { ExpectBanner: 'Exchange' },
    tls: { port: server.port, mode: 'StartTLS', options: credentials },
    again: (certificate) => smtpPlace(fixture, certificate),
    middle: 10,
  });
};

const mailPlace =
  (method: 'IMAP4' | 'POP3') => async (fixture: ServersFixture, name: 'good' | 'expired' | 'wrongName') => {
    const server = await startDovecot(fixture, fixture.certificates[name]);
    const [plain, implicit, scheme] =
      method === 'IMAP4' ? [server.imap, server.imaps, 'imap'] : [server.pop3, server.pop3s, 'pop3'];
    const made: Place = place(server, {
      port: plain,
      url: (port) => `${scheme}://127.0.0.1:${port}`,
      options: { ...credentials, ...(method === 'IMAP4' ? { Mailbox: 'INBOX' } : {}) },
      wrongPassword: wrong,
      wrongExpectation:
        method === 'IMAP4' ? { ...credentials, Mailbox: 'NoSuchBox' } : { ExpectBanner: 'Exchange' },
      tls: { port: implicit, mode: 'Implicit' },
      again: (certificate) => mailPlace(method)(fixture, certificate),
      middle: 10,
    });
    return made;
  };

const mysqlPlace = async (
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<Place> => {
  const server = await startMariadb(fixture, fixture.certificates[name]);
  const query = { ...credentials, Database: 'probe', Query: 'select n from t' };
  return place(server, {
    port: server.port,
    url: (port) => `mysql://127.0.0.1:${port}`,
    options: { ...query, ExpectResult: '42' },
    wrongPassword: wrong,
    wrongExpectation: { ...query, ExpectResult: '43' },
    tls: { port: server.port, mode: 'StartTLS' },
    again: (certificate) => mysqlPlace(fixture, certificate),
    middle: 20,
  });
};

const ftpPlace = async (fixture: ServersFixture, name: 'good' | 'expired' | 'wrongName'): Promise<Place> => {
  const server = await startVsftpd(fixture, fixture.certificates[name]);
  return place(server, {
    port: server.port,
    url: (port) => `ftp://127.0.0.1:${port}`,
    options: { ...credentials, List: true, ExpectEntry: 'report.txt' },
    wrongPassword: wrong,
    wrongExpectation: { ...credentials, List: true, ExpectEntry: 'missing.txt' },
    tls: { port: server.port, mode: 'StartTLS' },
    again: (certificate) => ftpPlace(fixture, certificate),
    middle: 10,
  });
};

/** A server without TLS, and the same one behind TLS. */
async function fronted(
  plain: Server,
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<AsyncDisposable & { readonly port: number; readonly tlsPort: number }> {
  const front = await startTlsFront(fixture.certificates[name], plain.port);
  return {
    port: plain.port,
    tlsPort: front.port,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]();
      await plain[Symbol.asyncDispose]();
    },
  };
}

const telnetPlace = async (
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<Place> => {
  const server = await fronted(await startTelnetd(), fixture, name);
  return place(server, {
    port: server.port,
    url: (port) => `127.0.0.1:${port}`,
    options: { ...credentials, ExpectPrompt: '$' },
    wrongPassword: wrong,
    wrongExpectation: { ...credentials, ExpectPrompt: 'no such prompt' },
    tls: { port: server.tlsPort, mode: 'Implicit' },
    again: (certificate) => telnetPlace(fixture, certificate),
    middle: 5,
  });
};

const newsPlace = async (fixture: ServersFixture, name: 'good' | 'expired' | 'wrongName'): Promise<Place> => {
  const server = await startInn(fixture, fixture.certificates[name]);
  return place(server, {
    port: server.port,
    url: (port) => `nntp://127.0.0.1:${port}`,
    options: { ...credentials, Group: group, ExpectBanner: 'InterNetNews' },
    wrongPassword: wrong,
    wrongExpectation: { ...credentials, Group: 'no.such.group' },
    tls: { port: server.port, mode: 'StartTLS' },
    again: (certificate) => newsPlace(fixture, certificate),
    middle: 10,
  });
};

const namePlace = async (fixture: ServersFixture, name: 'good' | 'expired' | 'wrongName'): Promise<Place> => {
  const server = await startUnbound(fixture, fixture.certificates[name]);
  const url = (port: number) => `dns://127.0.0.1:${port}/www.real.test?type=A`;
  return place(server, {
    port: server.port,
    url,
    options: { Transport: 'TCP', Expect: ['192.0.2.10'] },
    wrongExpectation: { Transport: 'TCP', Expect: ['192.0.2.11'] },
    tls: { port: server.tlsPort, url, mode: 'Implicit', options: { Transport: 'TLS' } },
    again: (certificate) => namePlace(fixture, certificate),
    middle: 10,
  });
};

/** portless.timed.test.ts has PING and Script, snmp.test.ts and its neighbours have the others; jobs call for Push. */
type MethodOfOtherFile =
  | 'PING'
  | 'Script'
  | 'SNMP'
  | 'Push'
  | 'UDP'
  | 'NTP'
  | 'LDAP'
  | 'RADIUS'
  | 'SIP'
  | 'Domain';

/** The real server of each Method over TCP, which the compiler checks. */
export const rows: Readonly<Record<Exclude<Method, MethodOfOtherFile>, Row>> = {
  HTTP: { method: 'HTTP', part: 'web', needs: ['nginx'], start: (fixture) => nginxPlace(fixture, 'good') },
  TCP: { method: 'TCP', part: 'web', needs: ['nginx'], start: (fixture) => tcpPlace(fixture, 'good') },
  SMTP: {
    method: 'SMTP',
    part: 'mail',
    needs: ['postfix', 'dovecot-imapd'],
    start: (fixture) => smtpPlace(fixture, 'good'),
  },
  IMAP4: {
    method: 'IMAP4',
    part: 'mail',
    needs: ['dovecot-imapd'],
    start: (fixture) => mailPlace('IMAP4')(fixture, 'good'),
  },
  POP3: {
    method: 'POP3',
    part: 'mail',
    needs: ['dovecot-pop3d'],
    start: (fixture) => mailPlace('POP3')(fixture, 'good'),
  },
  MySQL: {
    method: 'MySQL',
    part: 'data',
    needs: ['mariadb-server'],
    start: (fixture) => mysqlPlace(fixture, 'good'),
  },
  FTP: { method: 'FTP', part: 'files', needs: ['vsftpd'], start: (fixture) => ftpPlace(fixture, 'good') },
  SSH: {
    method: 'SSH',
    part: 'files',
    needs: ['openssh-server'],
    async start(fixture) {
      const server = await startSshd(fixture);
      const print = execFileSync('ssh-keygen', ['-lf', server.hostKeyFile], { encoding: 'utf8' }).split(
        ' ',
      )[1];
      const command = { ...credentials, Command: 'echo alive', ExpectOutput: 'alive' };
      return place(server, {
        port: server.port,
        url: (port) => `127.0.0.1:${port}`,
        options: { ...command, HostKeyFingerprint: print },
        wrongHostKey: { ...command, HostKeyFingerprint: `SHA256:${'A'.repeat(43)}` },
        wrongPassword: wrong,
        wrongExpectation: { ...command, ExpectOutput: 'dead' },
        middle: 10,
      });
    },
  },
  TELNET: {
    method: 'TELNET',
    part: 'data',
    needs: ['inetutils-telnetd', 'socat'],
    start: (fixture) => telnetPlace(fixture, 'good'),
  },
  NNTP: {
    method: 'NNTP',
    part: 'files',
    needs: ['inn2'],
    start: (fixture) => newsPlace(fixture, 'good'),
  },
  DNS: {
    method: 'DNS',
    part: 'web',
    needs: ['unbound'],
    start: (fixture) => namePlace(fixture, 'good'),
  },
  Redis: {
    method: 'Redis',
    part: 'data',
    needs: ['redis-server'],
    start: (fixture) => redisPlace(fixture, 'good'),
  },
  PostgreSQL: {
    method: 'PostgreSQL',
    part: 'data',
    needs: ['postgresql-15'],
    start: (fixture) => postgresqlPlace(fixture, 'good'),
  },
  MQTT: {
    method: 'MQTT',
    part: 'data',
    needs: ['mosquitto'],
    start: (fixture) => mqttPlace(fixture, 'good'),
  },
  WebSocket: {
    method: 'WebSocket',
    part: 'web',
    needs: ['nginx', 'websocketd'],
    start: (fixture) => websocketPlace(fixture, 'good'),
  },
  gRPC: {
    method: 'gRPC',
    part: 'web',
    needs: [],
    start: (fixture) => grpcPlace(fixture, 'good'),
  },
};
