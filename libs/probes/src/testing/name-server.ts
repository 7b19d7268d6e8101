import { createSocket } from 'node:dgram';
import { type Answer, decode, encode, type Packet, type Question } from 'dns-packet';
import { addressOf } from './server.ts';

/** A DNS server on loopback over UDP, for one test. */
export interface TestNameServer extends AsyncDisposable {
  readonly port: number;
  /** `address:port` */
  readonly target: string;
  /** Queries that came, in order, as `name TYPE`. */
  readonly asked: readonly string[];
}

/** The reply of a test's name server to one question: an answer's parts, raw bytes, or nothing. */
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

/** Serves names, on a free port of 127.0.0.1 unless given: `reply` is asked about every question. */
export async function serveNames(
  reply: (question: Question, query: Packet) => NameReply,
  { host = '127.0.0.1', port: wanted = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<TestNameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  const timers = new Set<NodeJS.Timeout>();
  socket.on('message', (message, from) => {
    const query = decode(message);
    const question = query.questions?.[0];
    if (!question) return;
    asked.push(`${question.name} ${question.type}`);
    const said = reply(question, query);
    if (said === undefined) return;
    const bytes = Buffer.isBuffer(said) ? said : answerBytes(query, said);
    const send = () => socket.send(bytes, from.port, from.address);
    const delayMs = Buffer.isBuffer(said) ? 0 : (said.delayMs ?? 0);
    if (delayMs === 0) send();
    else timers.add(setTimeout(send, delayMs));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(wanted, host, resolve);
  });
  const { port } = addressOf(socket.address());
  return {
    port,
    target: `${host}:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}
