import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { freePort } from '@vantage/testing/free-port';
import PostalMime from 'postal-mime';

/** One e-mail as it arrived. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly messageId: string;
  readonly text: string;
  readonly html: string;
  /** It did not arrive: this message was recorded, because its contact is in shadow (`device.down dev-1`). */
  readonly recorded?: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** A small SMTP server (RFC 5321) that keeps what it receives. */
export interface FakeMailServer extends AsyncDisposable {
  /** `smtp://host:port` */
  readonly url: string;
  /** In the order of arrival. */
  readonly mails: readonly Mail[];
  /** Refuses connections until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** From now on RCPT of this address is answered so (`550 no such mailbox`); undefined: it is accepted. */
  answer(address: string, reply: string | undefined): void;
}

/** The answer to each command that has one answer only. */
const answers: Readonly<Record<string, string>> = {
  HELO: '250 lab',
  EHLO: '250-lab\r\n250-8BITMIME\r\n250 SIZE 10485760',
  MAIL: '250 ok',
  RCPT: '250 ok',
  RSET: '250 ok',
  NOOP: '250 ok',
};

/** Starts the receiver on loopback. */
export async function startFakeMailServer(): Promise<FakeMailServer> {
  const mails: Mail[] = [];
  const open = new Set<Socket>();
  const replies = new Map<string, string>();
  let server: Server | undefined;
  const port = await freePort();
  const keep = async (raw: string, to: string) => {
    const atMs = Date.now();
    const { subject = '', messageId = '', text = '', html = '' } = await PostalMime.parse(raw);
    mails.push({ to, subject, messageId, text, html, atMs });
  };
  const start = async () => {
    const listener = createServer((socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      converse(socket, keep, replies).catch(() => socket.destroy());
    });
    server = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, '127.0.0.1', resolve);
    });
  };
  const stop = async () => {
    for (const socket of open) socket.destroy();
    const listener = server;
    server = undefined;
    if (listener) await new Promise<void>((resolve) => listener.close(() => resolve()));
  };
  await start();
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    stop,
    start,
    answer(address, reply) {
      if (reply === undefined) replies.delete(address);
      else replies.set(address, reply);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * One SMTP session. `keep` gets each message with its last recipient before the session acknowledges it. `replies` are
 * those to RCPT by its address.
 */
async function converse(
  socket: Socket,
  keep: (raw: string, to: string) => Promise<void>,
  replies: ReadonlyMap<string, string>,
): Promise<void> {
  const say = (text: string) => void socket.write(`${text}\r\n`);
  socket.on('error', () => socket.destroy());
  let to = '';
  let message: string[] | undefined;
  say('220 lab ESMTP');
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (message !== undefined) {
      if (line !== '.') {
        // A line that begins with a dot was sent with one more (RFC 5321, section 4.5.2).
        message.push(line.startsWith('.') ? line.slice(1) : line);
        continue;
      }
      await keep(message.join('\r\n'), to);
      message = undefined;
      say('250 kept');
      continue;
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'RCPT') to = /<([^>]*)>/.exec(line)?.[1] ?? '';
    if (verb === 'DATA') {
      message = [];
      say('354 go on');
    } else if (verb === 'QUIT') {
      say('221 bye');
      socket.end();
    } else say((verb === 'RCPT' ? replies.get(to) : undefined) ?? answers[verb] ?? '502 not known');
  }
}
