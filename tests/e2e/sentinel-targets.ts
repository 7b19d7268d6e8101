import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { addressOf, listen, speakLines } from '@vantage/probes/testing';

/** A loopback server that repeats every byte that it receives. */
export interface EchoTarget extends AsyncDisposable {
  readonly target: string;
}

const answers = {
  SMTP: (line) => (line.startsWith('EHLO') ? '250-echo\r\n250 AUTH PLAIN LOGIN' : `535 no: ${line}`),
  POP3: (line) => (line.startsWith('PASS') ? `-ERR no: ${line}` : `+OK ${line}`),
  IMAP4: (line) => {
    const tag = line.split(' ')[0] ?? '';
    return line.includes('CAPABILITY')
      ? `* CAPABILITY IMAP4rev1\r\n${tag} OK done`
      : `${tag} NO [AUTHENTICATIONFAILED] ${line}`;
  },
  NNTP: (line) => (line.includes(' USER ') ? `381 ${line}` : `481 no: ${line}`),
  FTP: (line) => (line.startsWith('USER') ? `331 ${line}` : `530 no: ${line}`),
  TELNET: (line, received) =>
    received.length === 0 ? `${line}\r\npassword: ` : `${line}\r\nLogin incorrect`,
  TCP: (line) => `echo ${line}`,
  MySQL: (line) => line,
  SSH: (line) => line,
} satisfies Record<string, (line: string, received: readonly string[]) => string>;

const greetings: Readonly<Record<keyof typeof answers, string>> = {
  SMTP: '220 echo ESMTP',
  POP3: '+OK echo',
  IMAP4: '* OK echo',
  NNTP: '200 echo',
  FTP: '220 echo',
  TELNET: 'echo\r\nlogin: ',
  TCP: '220 echo',
  MySQL: 'echo',
  SSH: 'SSH-2.0-echo',
};

/** The Methods for which `echoLines` has a server. */
export type EchoMethod = keyof typeof answers;

/** A server of a line protocol that refuses every login and repeats it. */
export async function echoLines(method: EchoMethod): Promise<EchoTarget> {
  return listen(speakLines({ greeting: greetings[method], answer: answers[method] }));
}

/** A web server that answers with the request's line, headers and body, with 401 where the path contains `no`. */
export async function echoWeb(): Promise<EchoTarget> {
  const server = createServer((request, response) => {
    const heard: Buffer[] = [];
    request.on('data', (chunk: Buffer) => heard.push(chunk));
    request.on('end', () => {
      const status = request.url?.includes('/no') ? 401 : 200;
      const received = [request.url, ...request.rawHeaders, Buffer.concat(heard).toString()].join('\n');
      response.writeHead(status, {
        'X-Echo': encodeURIComponent(received),
        'Set-Cookie': `echo=${encodeURIComponent(received)}`,
      });
      response.end(received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    target: `127.0.0.1:${addressOf(server.address()).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Repeats every datagram. */
export async function echoDatagrams(): Promise<EchoTarget> {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => socket.send(message, from.port, from.address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    target: `127.0.0.1:${addressOf(socket.address()).port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
