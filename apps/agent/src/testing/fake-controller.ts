import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { createMailbox, type Mailbox } from '@vantage/kernel';
import { addressOf, type TestCertificate } from '@vantage/probes/testing';
import {
  AgentService,
  type Assignment,
  type ConnectRequest,
  type ConnectResponse,
  ConnectResponseSchema,
  type OutboxRecord,
} from '@vantage/proto';

type Answer = NonNullable<MessageInitShape<typeof ConnectResponseSchema>['message']>;

/** A controller's end of the stream for tests: in this process, over TLS, on port 0. */
export interface FakeController extends AsyncDisposable {
  readonly endpoint: string;
  readonly port: number;
  /** Everything heard, of all streams, in order. */
  readonly received: ConnectRequest['message'][];
  /** Records of all batches, in order of arrival. */
  readonly records: OutboxRecord[];
  /** Streams opened so far. */
  readonly streams: number;
  /** What the next snapshot holds. */
  assignments: readonly Assignment[];
  /** Whether batches are acked, heartbeats answered. */
  acks: boolean;
  answersHeartbeats: boolean;
  /** Controller's clock minus this machine's, microseconds. */
  clockAheadUs: number;
  /** Sends on the newest stream. */
  send(answer: Answer): void;
  /** Cuts every connection. */
  cut(): void;
  /** Resolves when the predicate holds; it is asked after each message heard. */
  until(predicate: () => boolean): Promise<void>;
}

/** Starts one. An agent comes in with this token. */
export async function startFakeController(options: {
  readonly certificate: TestCertificate;
  readonly token: string;
  readonly assignments?: readonly Assignment[];
  readonly port?: number;
  /** Address to listen on; loopback unless said otherwise. */
  readonly host?: string;
}): Promise<FakeController> {
  const sessions = new Set<ServerHttp2Session>();
  const waiting = new Set<() => void>();
  let newest: Mailbox<ConnectResponse> | undefined;
  let streams = 0;
  const nowUs = () => BigInt(Date.now()) * 1000n + BigInt(fake.clockAheadUs);
  const react = (message: ConnectRequest['message'], reply: (answer: Answer) => void) => {
    switch (message.case) {
      case 'hello':
        reply({
          case: 'welcome',
          value: { agentNo: 1, locationNo: 1, locationName: 'test', sessionId: 's' },
        });
        reply({
          case: 'assignments',
          value: { snapshot: true, final: true, upserts: [...fake.assignments] },
        });
        return;
      case 'heartbeat': {
        if (!fake.answersHeartbeats) return;
        const at = nowUs();
        const { sequence, sentUs: agentSentUs } = message.value;
        reply({ case: 'heartbeatReply', value: { sequence, agentSentUs, receivedUs: at, sentUs: at } });
        return;
      }
      case 'batch':
        if (!fake.acks) return;
        fake.records.push(...message.value.records);
        reply({ case: 'ack', value: { batchId: message.value.batchId } });
        return;
      case undefined:
        return;
    }
  };
  const handler = connectNodeAdapter({
    routes: (router) =>
      router.service(AgentService, {
        async *connect(requests, context) {
          if (context.requestHeader.get('authorization') !== `Bearer ${options.token}`) {
            throw new ConnectError('unknown token', Code.Unauthenticated);
          }
          const box = createMailbox<ConnectResponse>(1000);
          newest = box;
          streams += 1;
          void (async () => {
            for await (const { message } of requests) {
              fake.received.push(message);
              react(message, (answer) => box.offer(create(ConnectResponseSchema, { message: answer })));
              for (const look of waiting) look();
            }
          })().catch(() => box.close());
          yield* box;
        },
      }),
  });
  const server = createSecureServer(
    { cert: options.certificate.cert, key: options.certificate.key },
    handler,
  );
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
  });
  await new Promise<void>((resolve) =>
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve),
  );
  const { port } = addressOf(server.address());
  const cut = () => {
    for (const session of sessions) session.destroy();
  };
  const fake: FakeController = {
    endpoint: `https://127.0.0.1:${port}`,
    port,
    received: [],
    records: [],
    get streams() {
      return streams;
    },
    assignments: options.assignments ?? [],
    acks: true,
    answersHeartbeats: true,
    clockAheadUs: 0,
    send: (answer) => void newest?.offer(create(ConnectResponseSchema, { message: answer })),
    cut,
    until: (predicate) =>
      new Promise((resolve) => {
        const look = () => {
          if (!predicate()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      newest?.close();
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}
