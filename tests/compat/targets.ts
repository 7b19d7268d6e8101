import { createSocket } from 'node:dgram';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { answerBytes, speakLines } from '@vantage/probes/testing';
import { decode } from 'dns-packet';
import { serveMysql } from '../../libs/probes/src/testing/mysql-server.ts';
import { serveSsh } from '../../libs/probes/src/testing/ssh-server.ts';

/**
 * The ports of 127.0.0.1 on which the servers of the fixture's devices listen. The recorded data contain the numbers
 * (sealed), so they cannot change. They are below every range from which ports are chosen.
 */
export const ports = {
  HTTP: 7801,
  SMTP: 7802,
  POP3: 7803,
  IMAP4: 7804,
  NNTP: 7805,
  FTP: 7806,
  TELNET: 7807,
  TCP: 7808,
  MySQL: 7809,
  SSH: 7810,
  DNS: 7811,
  /** This server starts only after its device was Down. */
  late: 7812,
} as const;

/** Every server demands this name and password, or the value of the account's secret `TOKEN`. */
export const login = { user: 'probe', password: 'right', token: 'a token that only the sealed data know' };

const word = (line: string) => line.split(' ')[0] ?? '';
const plain = Buffer.from(`\0${login.user}\0${login.password}`).toString('base64');

/** Servers of line protocols. They accept a login with the password and refuse every other one. */
const scripts: Readonly<
  Record<string, { greeting: string; answer: (line: string, said: readonly string[]) => string }>
> = {
  SMTP: {
    greeting: '220 mail ESMTP',
    answer(line) {
      if (line.startsWith('EHLO')) return '250-mail\r\n250 AUTH PLAIN';
      if (line.startsWith('AUTH')) return line === `AUTH PLAIN ${plain}` ? '235 welcome' : '535 no';
      return line === 'QUIT' ? '221 bye' : '250 ok';
    },
  },
  POP3: {
    greeting: '+OK mail',
    answer(line) {
      if (line.startsWith('PASS')) return line === `PASS ${login.password}` ? '+OK' : '-ERR no';
      return line === 'STAT' ? '+OK 1 20' : '+OK';
    },
  },
  IMAP4: {
    greeting: '* OK mail',
    answer(line) {
      if (line.includes('CAPABILITY')) return `* CAPABILITY IMAP4rev1\r\n${word(line)} OK done`;
      const isLogin = line.includes(' LOGIN ');
      return `${word(line)} ${!isLogin || line.includes(login.password) ? 'OK' : 'NO'} done`;
    },
  },
  NNTP: {
    greeting: '200 news',
    answer(line) {
      if (line.includes(' USER ')) return '381 more';
      if (line.includes(' PASS ')) return line.endsWith(` ${login.password}`) ? '281 welcome' : '481 no';
      return '200 ok';
    },
  },
  FTP: {
    greeting: '220 files',
    answer(line) {
      if (line.startsWith('USER')) return '331 more';
      if (line.startsWith('PASS')) return line === `PASS ${login.password}` ? '230 welcome' : '530 no';
      return line === 'QUIT' ? '221 bye' : '200 ok';
    },
  },
  TELNET: {
    greeting: 'host\r\nlogin: ',
    answer(line, said) {
      if (said.length === 0) return 'password: ';
      return line === login.password ? 'welcome\r\n$ ' : 'Login incorrect\r\nlogin: ';
    },
  },
  TCP: {
    greeting: '220 ready',
    answer: (line) => (line === login.token ? 'that is it' : 'no'),
  },
};

/**
 * Starts a server for every Method (PING needs none). Several runs on one machine share the ports, because their
 * servers answer in the same way. Disposing ends the servers.
 */
export async function startTargets(options: { readonly late: boolean }): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  for (const [method, port] of Object.entries(ports)) {
    const script = scripts[method];
    if (script) stack.use(await hold(createServer({ noDelay: true }, serve(speakLines(script))), port));
  }
  stack.use(await hold(createServer(serve(serveMysql)), ports.MySQL));
  stack.use(await hold(createServer(serve(serveSsh)), ports.SSH));
  if (options.late) stack.use(await startLate());
  stack.use(await hold(webServer(), ports.HTTP));
  stack.use(await nameServer());
  return stack;
}

/** Starts the server that was missing at first. */
export function startLate(): Promise<AsyncDisposable> {
  return hold(createServer(serve((socket) => socket.end('220 ready\r\n'))), ports.late);
}

function serve(answer: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    socket.on('error', () => socket.destroy());
    answer(socket);
    // A side that does not read never notices that the other side has closed.
    if (socket.listenerCount('data') === 0) socket.resume();
  };
}

function webServer() {
  const wanted = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
  return createHttpServer((request, response) => {
    const { authorization, 'x-token': token } = request.headers;
    const isKnown = authorization === wanted || token === login.token;
    response.writeHead(isKnown ? 200 : 401).end(isKnown ? 'welcome' : 'no');
  });
}

async function hold(server: Server, port: number): Promise<AsyncDisposable> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, reusePort: process.platform === 'linux' }, resolve);
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function nameServer(): Promise<AsyncDisposable> {
  const socket = createSocket({ type: 'udp4', reusePort: process.platform === 'linux' });
  socket.on('message', (message, from) => {
    const query = decode(message);
    const name = query.questions?.[0]?.name ?? '';
    const answers = [{ type: 'A', name, ttl: 60, data: '192.0.2.1' } as const];
    socket.send(answerBytes(query, { answers }), from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(ports.DNS, '127.0.0.1', resolve);
  });
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())) };
}
