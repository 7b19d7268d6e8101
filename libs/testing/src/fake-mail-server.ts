import { createServer, type Server, type Socket } from 'node:net';

/** The behaviour of a test's SMTP server at RCPT or before; `acceptMs`: it accepts each mail after this time. */
export type SmtpBehaviour =
  | 'accept'
  | 'silent'
  | 'reset'
  | { readonly rcpt: string }
  | { readonly acceptMs: number };

/** A mail server on loopback that keeps the messages that it gets. */
export interface FakeMailServer extends AsyncDisposable {
  readonly url: string;
  /** Each message with its envelope, as it came. */
  readonly messages: readonly { readonly to: string; readonly data: string }[];
}

/** Starts one. It accepts every login. */
export async function startFakeMailServer(behaviour: SmtpBehaviour = 'accept'): Promise<FakeMailServer> {
  const messages: { to: string; data: string }[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    if (behaviour === 'reset') return void socket.resetAndDestroy();
    if (behaviour === 'silent') return;
    serve(socket, behaviour, messages);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(
  socket: Socket,
  behaviour: Exclude<SmtpBehaviour, 'silent' | 'reset'>,
  messages: { to: string; data: string }[],
): void {
  let text = '';
  let to = '';
  let isData = false;
  const say = (line: string) => void socket.write(`${line}\r\n`);
  const command = (line: string) => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') return say('250-mail\r\n250 AUTH PLAIN');
    if (verb === 'AUTH') return say('235 ok');
    if (verb === 'RCPT') {
      to = line.slice('RCPT TO:'.length);
      return say(typeof behaviour === 'object' && 'rcpt' in behaviour ? behaviour.rcpt : '250 ok');
    }
    if (verb === 'QUIT') return void socket.end('221 bye\r\n');
    isData = verb === 'DATA';
    return say(isData ? '354 go on' : '250 ok');
  };
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (;;) {
      const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const piece = text.slice(0, end);
      text = text.slice(end + (isData ? 5 : 2));
      if (!isData) command(piece);
      else {
        isData = false;
        const store = () => {
          messages.push({ to, data: piece });
          say('250 stored');
        };
        if (typeof behaviour === 'object' && 'acceptMs' in behaviour) setTimeout(store, behaviour.acceptMs);
        else store();
      }
    }
  });
  say('220 mail');
}
