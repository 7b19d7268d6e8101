import type { Method } from '@vantage/domain';
import type { Servers, Service } from './accuracy-servers.ts';
import type { Manner } from './delay-talk.ts';
import { login } from './servers-fixture.ts';

/** A Method with its check over a delayed connection. */
export interface Subject {
  readonly name: string;
  readonly method: Method;
  readonly service: Service;
  readonly manner: Manner;
  url(host: string, port: number): string;
  options(servers: Servers): Record<string, unknown>;
  /** Default 1. */
  readonly code?: number;
}

const credentials = { User: login.user, Password: login.password };
const tls = (servers: Servers, Mode?: 'Implicit' | 'StartTLS') => ({
  TLS: { CA: servers.ca, ServerName: 'real.test', ...(Mode && { Mode }) },
});
const hostPort = (host: string, port: number) => `${host}:${port}`;

/** A Method whose server speaks first, with implicit TLS where the name of its service ends in `s`. */
function greeted(
  name: string,
  method: Method,
  service: Service,
  settings: {
    readonly options?: (servers: Servers) => Record<string, unknown>;
    readonly quits?: boolean;
    readonly tls?: 'Implicit' | 'StartTLS';
    readonly code?: number;
  } = {},
): Subject {
  const { options = () => ({}), quits = false, tls: mode, code } = settings;
  return {
    name,
    method,
    service,
    manner: { speaksFirst: 'server', quits, ...(mode && { tls: mode }) },
    url: hostPort,
    options: (servers) => ({ ...(mode && tls(servers, mode)), ...options(servers) }),
    ...(code !== undefined && { code }),
  };
}

const mail = () => ({ MailFrom: 'probe@real.test', RcptTo: `${login.user}@real.test` });
const withLogin = () => credentials;
const mailbox = () => ({ ...credentials, Mailbox: 'INBOX' });
const userLogin = () => ({ ...credentials, Auth: 'USER' });
const directory = () => ({ ...credentials, Directory: '/' });
const query = () => ({ ...credentials, Database: 'probe', Query: 'select n from t' });
// leafnode has no groups yet; its answer about this ends the dialogue too.
const group = () => ({ Group: 'no.such.group' });
const quits = true;

/** Plain methods: every phase but SSL follows from the stamps. */
export const plainSubjects: readonly Subject[] = [
  {
    name: 'HTTP',
    method: 'HTTP',
    service: 'http',
    manner: { speaksFirst: 'client' },
    url: (host, port) => `http://${host}:${port}/private.txt`,
    options: withLogin,
  },
  {
    name: 'DNS over TCP',
    method: 'DNS',
    service: 'dns',
    manner: { speaksFirst: 'client' },
    url: (host, port) => `dns://${host}:${port}/www.real.test?type=A`,
    options: () => ({ Transport: 'TCP' }),
  },
  greeted('TCP', 'TCP', 'smtp', {
    options: () => ({
      Steps: [
        { Expect: '220' },
        { Send: 'EHLO x\r\n', Expect: '250 ' },
        { Send: 'NOOP\r\n', Expect: '250 ' },
      ],
    }),
  }),
  greeted('SMTP', 'SMTP', 'smtp', { options: mail, quits }),
  greeted('IMAP4', 'IMAP4', 'imap', { options: mailbox, quits }),
  greeted('POP3', 'POP3', 'pop3', { options: userLogin, quits }),
  greeted('FTP', 'FTP', 'ftp', { options: directory, quits }),
  greeted('NNTP', 'NNTP', 'nntp', { options: group, code: 7 }),
  greeted('MySQL', 'MySQL', 'mysql', { options: query, quits }),
  greeted('TELNET', 'TELNET', 'telnet', { options: withLogin }),
  greeted('SSH', 'SSH', 'ssh', {
    options: ({ sshKey }) => ({ User: login.user, PrivateKey: sshKey, Command: 'true' }),
  }),
];

/** Methods with implicit TLS or STARTTLS. */
export const tlsSubjects: readonly Subject[] = [
  {
    name: 'HTTPS',
    method: 'HTTP',
    service: 'https',
    manner: { speaksFirst: 'client', tls: 'Implicit' },
    url: (host, port) => `https://${host}:${port}/`,
    options: (servers) => tls(servers),
  },
  {
    name: 'DNS over TLS',
    method: 'DNS',
    service: 'dnss',
    manner: { speaksFirst: 'client', tls: 'Implicit' },
    url: (host, port) => `dns://${host}:${port}/www.real.test?type=A`,
    options: (servers) => ({ Transport: 'TLS', ...tls(servers) }),
  },
  greeted('TCP, TLS', 'TCP', 'imaps', { tls: 'Implicit', options: () => ({ Steps: [{ Expect: 'OK' }] }) }),
  greeted('SMTPS', 'SMTP', 'smtps', { tls: 'Implicit', options: withLogin, quits }),
  greeted('SMTP, STARTTLS', 'SMTP', 'smtp', { tls: 'StartTLS', options: withLogin, quits }),
  greeted('IMAPS', 'IMAP4', 'imaps', { tls: 'Implicit', options: mailbox, quits }),
  greeted('IMAP, STARTTLS', 'IMAP4', 'imap', { tls: 'StartTLS', options: mailbox, quits }),
  greeted('POP3S', 'POP3', 'pop3s', { tls: 'Implicit', options: userLogin, quits }),
  greeted('POP3, STLS', 'POP3', 'pop3', { tls: 'StartTLS', options: userLogin, quits }),
  greeted('FTPS', 'FTP', 'ftps', { tls: 'Implicit', options: withLogin, quits }),
  greeted('FTP, AUTH TLS', 'FTP', 'ftp', { tls: 'StartTLS', options: withLogin, quits }),
  greeted('NNTPS', 'NNTP', 'nntps', { tls: 'Implicit', quits }),
  greeted('NNTP, STARTTLS', 'NNTP', 'nntpStartTls', { tls: 'StartTLS', quits }),
  greeted('MySQL, TLS', 'MySQL', 'mysqls', { tls: 'Implicit', options: query, quits }),
  greeted('MySQL, STARTTLS', 'MySQL', 'mysql', { tls: 'StartTLS', options: query, quits }),
  greeted('TELNETS', 'TELNET', 'telnets', { tls: 'Implicit' }),
];
