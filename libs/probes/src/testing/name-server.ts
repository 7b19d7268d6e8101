import { createSocket } from 'node:dgram';
import { type Answer, decode, encode, type Packet, type Question } from 'dns-packet';
import { addressOf } from './server.ts';

/** A DNS server of a test on loopback, over UDP. */
export interface TestNameServer extends AsyncDisposable {
  readonly port: number;
  /** `address:port` */
  readonly target: string;
  /** The queries in order, as `name TYPE`. */
  readonly questions: readonly string[];
}

/** The reply to one question: the parts of an answer, raw bytes, or nothing. */
export type NameReply =
  | {
      readonly answers?: Answer[];
      readonly rcode?: number;
      readonly truncated?: boolean;
      readonly delayMs?: number;
    }
  | Buffer
  | undefined;

/** The bytes of an answer to a query. */
export function answerBytes(query: Packet, reply: Exclude<NameReply, Buffer | undefined>): Buffer {
  return encode({
    type: 'response',
    id: query.id ?? 0,
    flags: (reply.rcode ?? 0) | (reply.truncated ? 0x200 : 0) | 0x180,
    questions: query.questions,
    answers: reply.answers ?? [],
  });
}

/** Serves names by `reply`, by default on a free port of 127.0.0.1. */
export async function serveNames(
  reply: (question: Question, query: Packet) => NameReply,
  { host = '127.0.0.1', port: requestedPort = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<TestNameServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  const timers = new Set<NodeJS.Timeout>();
  socket.on('message', (message, from) => {
    const query = decode(message);
    const question = query.questions?.[0];
    if (!question) return;
    questions.push(`${question.name} ${question.type}`);
    const answer = reply(question, query);
    if (answer === undefined) return;
    const bytes = Buffer.isBuffer(answer) ? answer : answerBytes(query, answer);
    const send = () => socket.send(bytes, from.port, from.address);
    const delayMs = Buffer.isBuffer(answer) ? 0 : (answer.delayMs ?? 0);
    if (delayMs === 0) send();
    else timers.add(setTimeout(send, delayMs));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(requestedPort, host, resolve);
  });
  const { port } = addressOf(socket.address());
  return {
    port,
    target: `${host}:${port}`,
    questions,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}
