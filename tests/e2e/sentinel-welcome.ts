import { createPrivateKey } from 'node:crypto';
import { createServer as createTlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { addressOf, listen, makeCertificate, speakLines } from '@vantage/probes/testing';
import { resultPackets, serveMysql } from '../../libs/probes/src/testing/mysql-server.ts';
import { listenSsh, makeKey } from '../../libs/probes/src/testing/ssh-server.ts';
import { reference, sentinel } from './sentinel.ts';
import type { EchoTarget } from './sentinel-targets.ts';

/** A device as `POST /devices` accepts it. */
export interface NewDevice {
  readonly Method: string;
  readonly URL: string;
  readonly Options?: object;
}

type Serve = (target: Promise<EchoTarget>) => Promise<string>;

const word = (line: string) => line.split(' ')[0] ?? '';

/** Servers that accept any login and repeat every line of the client. */
const welcoming: Readonly<
  Record<string, { greeting: string; answer: (line: string, said: readonly string[]) => string }>
> = {
  SMTP: {
    greeting: '220 echo ESMTP',
    answer(line, said) {
      if (line.startsWith('EHLO')) return '250-echo\r\n250 AUTH PLAIN LOGIN CRAM-MD5';
      if (line === 'AUTH LOGIN') return '334 VXNlcm5hbWU6';
      if (line === 'AUTH CRAM-MD5') return '334 PDEuMkBlY2hvPg==';
      if (said.at(-1) === 'AUTH LOGIN') return '334 UGFzc3dvcmQ6';
      return line === 'QUIT' ? '221 bye' : `235 welcome ${line}`;
    },
  },
  POP3: {
    greeting: '+OK echo <1.2@echo>',
    answer: (line) => (line === 'STAT' ? '+OK 1 20' : `+OK ${line}`),
  },
  IMAP4: {
    greeting: '* OK echo',
    answer(line) {
      if (line.includes('CAPABILITY')) return `* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n${word(line)} OK done`;
      if (line.includes('AUTHENTICATE')) return '+ ';
      const tag = /^[A-Za-z]+\d+$/.test(word(line)) ? word(line) : 'a2';
      return `* OK ${line}\r\n${tag} OK ${line}`;
    },
  },
  NNTP: {
    greeting: '200 echo',
    answer: (line) =>
      line.includes(' USER ') ? `381 ${line}` : line.includes(' PASS ') ? `281 ${line}` : `200 ${line}`,
  },
  FTP: {
    greeting: '220 echo',
    answer: (line) => (line.startsWith('USER') ? `331 ${line}` : line === 'QUIT' ? '221 bye' : `230 ${line}`),
  },
  TELNET: {
    greeting: 'echo\r\nlogin: ',
    answer: (line, said) =>
      said.length === 0 ? `${line}\r\npassword: ` : `${line}\r\nwelcome ${line}\r\n$ `,
  },
};

const logins: readonly {
  readonly Method: string;
  readonly Auth?: readonly string[];
  readonly more?: object;
}[] = [
  { Method: 'SMTP', Auth: ['PLAIN', 'LOGIN', 'CRAM-MD5'] },
  { Method: 'POP3', Auth: ['USER', 'APOP'] },
  { Method: 'IMAP4', Auth: ['LOGIN', 'PLAIN'] },
  { Method: 'NNTP' },
  { Method: 'FTP' },
  { Method: 'TELNET', more: { ExpectPrompt: 'welcome' } },
];

/**
 * Devices with logins that succeed, with keys and with client certificates. Each field of a device that accepts such a
 * secret has one. `targets` keeps their servers, and `addKey` gets each private key.
 */
export async function welcomeDevices(
  targets: AsyncDisposableStack,
  addKey: (pem: string) => string,
): Promise<readonly NewDevice[]> {
  const serve: Serve = async (target) => targets.use(await target).target;
  const lines = await Promise.all(
    logins.map(async ({ Method, Auth, more }) => {
      const script = welcoming[Method];
      if (script === undefined) throw new Error(`no server for ${Method}`);
      const at = await serve(listen(speakLines(script)));
      const ways = Auth?.map((each) => ({ Auth: each })) ?? [{}];
      return ways.flatMap((way) =>
        [sentinel('welcome'), reference('KEPT'), reference('HERE', 'local')].map((Password) => ({
          Method,
          URL: at,
          Options: { User: 'me', Password, ...way, ...more },
        })),
      );
    }),
  );
  return [
    ...lines.flat(),
    ...(await sshDevices(serve, addKey)),
    ...(await mysqlDevices(serve)),
    ...(await tlsDevices(serve, addKey)),
  ];
}

async function sshDevices(serve: Serve, addKey: (pem: string) => string): Promise<readonly NewDevice[]> {
  const password = sentinel('ssh');
  const key = makeKey();
  addKey(key.pem);
  const lock = { cipher: 'aes-256-cbc', passphrase: sentinel('phrase') };
  const locked = createPrivateKey(key.pem)
    .export({ type: 'pkcs1', format: 'pem', ...lock })
    .toString();
  addKey(locked);
  const command = (text: string, channel: { end(text: string): void; exit(code: number): void }) => {
    channel.exit(0);
    channel.end(`you said ${text} and your password is ${password}\n`);
  };
  const at = await serve(listenSsh({ user: 'me', password, key: key.parsed, command }));
  const prompting = await serve(listenSsh({ user: 'me', password, prompts: true, command }));
  const run = { Command: 'echo' };
  return [
    { Method: 'SSH', URL: `ssh://me:${password}@${at}`, Options: run },
    { Method: 'SSH', URL: at, Options: { User: 'me', Password: password, ...run, ExpectOutput: 'never' } },
    { Method: 'SSH', URL: prompting, Options: { User: 'me', Password: password } },
    { Method: 'SSH', URL: at, Options: { User: 'me', PrivateKey: key.pem, ...run } },
    { Method: 'SSH', URL: at, Options: { User: 'me', PrivateKey: locked, Passphrase: sentinel('phrase') } },
    { Method: 'SSH', URL: at, Options: { User: 'me', PrivateKey: locked, Passphrase: sentinel('wrong') } },
    { Method: 'SSH', URL: at, Options: { User: 'me', PrivateKey: reference('KEPT') } },
    {
      Method: 'Script',
      URL: `const seen = await ssh({ host: '127.0.0.1', port: ${at.split(':')[1]}, user: 'me', password: secret('SSH'), command: 'echo' });
        log(seen.output); expect(false, seen.output);`,
    },
  ];
}

async function mysqlDevices(serve: Serve): Promise<readonly NewDevice[]> {
  const password = sentinel('mysql');
  const query = () => resultPackets([[`your password is ${password}`]]);
  const plugins = ['mysql_native_password', 'caching_sha2_password'] as const;
  const servers = await Promise.all(
    plugins.map((plugin) =>
      serve(listen((socket) => serveMysql(socket, { user: 'me', password, plugin, query }))),
    ),
  );
  return servers.flatMap((at) => [
    { Method: 'MySQL', URL: `mysql://me:${password}@${at}`, Options: { Query: 'select 1' } },
    {
      Method: 'MySQL',
      URL: at,
      Options: { User: 'me', Password: password, Query: 'select 1', ExpectResult: 'never' },
    },
    {
      Method: 'Script',
      URL: `const seen = await mysql({ host: '127.0.0.1', port: ${at.split(':')[1]}, user: 'me', password: secret('MYSQL'), query: 'x' });
        log(seen.row); throw new Error(seen.row[0]);`,
    },
  ]);
}

async function tlsDevices(serve: Serve, addKey: (pem: string) => string): Promise<readonly NewDevice[]> {
  const server = makeCertificate();
  const client = makeCertificate({ names: ['client.example'] });
  const stranger = makeCertificate({ names: ['stranger.example'] });
  addKey(client.key);
  addKey(stranger.key);
  const web = await serve(echoTls({ cert: server.cert, key: server.key, clientCa: client.cert }));
  const secureContext = createSecureContext({ cert: server.cert, key: server.key });
  const mail = await serve(
    listen(speakLines({ greeting: '+OK', answer: (line) => `+OK ${line}`, tls: { secureContext } })),
  );
  const settings = (pair: { cert: string; key: string }) => ({
    CA: server.cert,
    ClientCert: pair.cert,
    ClientKey: pair.key,
  });
  const https = (Options: object) => ({ Method: 'HTTP', URL: `https://${web}/`, Options });
  return [
    ...[client, stranger].flatMap((pair) => [
      https({ TLS: settings(pair), Headers: { Cookie: sentinel('cookie') } }),
      { Method: 'TCP', URL: `tls://${web}`, Options: { TLS: settings(pair) } },
      { Method: 'POP3', URL: `pop3s://me:${sentinel('tls')}@${mail}`, Options: { TLS: settings(pair) } },
    ]),
    https({ TLS: { ...settings(client), ClientKey: stranger.key } }),
    https({ TLS: { ...settings(client), ClientKey: reference('KEPT') } }),
    https({ TLS: { ...settings(client), ClientKey: reference('PEM') } }),
    https({ Headers: { Authorization: `Bearer ${reference('HERE', 'local')}` }, TLS: settings(client) }),
    { Method: 'Script', URL: `log(secret('local:HERE')); throw secret('local:HERE');` },
  ];
}

/** An HTTPS server that repeats the headers of a request. It requires a client certificate that `clientCa` signed. */
async function echoTls(files: { cert: string; key: string; clientCa: string }): Promise<EchoTarget> {
  const { cert, key, clientCa: ca } = files;
  const server = createTlsServer(
    { cert, key, ca, requestCert: true, rejectUnauthorized: true },
    (request, response) => void response.end(String(request.rawHeaders)),
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    target: `127.0.0.1:${addressOf(server.address()).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
