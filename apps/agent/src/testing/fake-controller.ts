import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextKey, createContextValues } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { dayUs, minuteUs } from '@vantage/domain';
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
import { z } from 'zod';
import { certify } from '../enrol/testing/certify.ts';

/** Signs its own certificate and those of agents. */
type FakeAuthority = Pick<TestCertificate, 'cert' | 'key'>;
const enrolRequest = z.object({ Token: z.string().optional(), CSR: z.string() });
type FakeAnswer = NonNullable<MessageInitShape<typeof ConnectResponseSchema>['message']>;

/** A controller's end of the stream for tests: in this process, over TLS, on port 0. */
export interface FakeController extends AsyncDisposable {
  readonly endpoint: string;
  readonly port: number;
  /** The messages of all streams, in the order of their arrival. */
  readonly received: ConnectRequest['message'][];
  /** Records of all batches, in order of arrival. */
  readonly records: OutboxRecord[];
  /** Streams opened so far. */
  readonly streams: number;
  /** The next snapshot holds these. */
  assignments: readonly Assignment[];
  /** Whether batches are acked, heartbeats answered. */
  acks: boolean;
  answersHeartbeats: boolean;
  /** Controller's clock minus this machine's, microseconds. */
  clockAheadUs: number;
  /** Whether it hands over the devices of an agent that leaves. */
  handsOver: boolean;
  /** Sends on the newest stream. */
  send(answer: FakeAnswer): void;
  /** Cuts every connection. */
  cut(): void;
  /** Resolves when the predicate holds; it is called after each message. */
  until(predicate: () => boolean): Promise<void>;
}

/** Parts of the controller that tests change while it runs. */
type FakeBehaviour = Pick<
  FakeController,
  'assignments' | 'acks' | 'answersHeartbeats' | 'clockAheadUs' | 'handsOver'
>;

/** Decides what the controller answers to a message. */
function answersTo(message: ConnectRequest['message'], now: FakeBehaviour, atUs: bigint): FakeAnswer[] {
  switch (message.case) {
    case 'hello': {
      const { handsOver } = now;
      const welcome = { agentNo: 1, locationNo: 1, locationName: 'test', sessionId: 's', handsOver };
      const assignments = { snapshot: true, final: true, upserts: [...now.assignments] };
      return [
        { case: 'welcome', value: welcome },
        { case: 'assignments', value: assignments },
      ];
    }
    case 'heartbeat': {
      if (!now.answersHeartbeats) return [];
      const { sequence, sentUs: agentSentUs } = message.value;
      const reply = { sequence, agentSentUs, receivedUs: atUs, sentUs: atUs };
      return [{ case: 'heartbeatReply', value: reply }];
    }
    case 'batch':
      return now.acks ? [{ case: 'ack', value: { batchId: message.value.batchId } }] : [];
    case 'upgradeReport':
    case undefined:
      return [];
  }
}

interface Listening {
  readonly port: number;
  /** Cuts every connection. */
  readonly cut: () => void;
  close(): Promise<void>;
}

/** Answers a request for a certificate: `token` enrols any number of keys, and nobody renews. */
async function enrol(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  { certificate, token }: { readonly certificate: FakeAuthority; readonly token: string },
): Promise<void> {
  const sent = enrolRequest.parse(JSON.parse(await text(request)));
  if (sent.Token !== token) return void response.writeHead(401).end('{"message":"unknown token"}');
  const nowUs = Date.now() * 1000;
  const times = { fromUs: nowUs - minuteUs, toUs: nowUs + 7 * dayUs };
  const Certificate = await certify(sent.CSR, { ...times, authority: certificate });
  response.end(JSON.stringify({ agent_id: 'a1', Certificate, CA: certificate.cert }));
}

/** Serves enrolment and gRPC over TLS; `converse` answers the messages of one stream. */
async function listen(options: {
  readonly certificate: FakeAuthority;
  readonly token: string;
  readonly port: number;
  readonly host: string;
  readonly converse: (requests: AsyncIterable<ConnectRequest>) => AsyncIterable<ConnectResponse>;
}): Promise<Listening> {
  const { certificate, token, converse } = options;
  const sessions = new Set<ServerHttp2Session>();
  const isKnown = createContextKey(false);
  const streams = connectNodeAdapter({
    routes: (router) =>
      router.service(AgentService, {
        async *connect(requests, context) {
          if (!context.values.get(isKnown))
            throw new ConnectError('unknown certificate', Code.Unauthenticated);
          yield* converse(requests);
        },
      }),
    contextValues: ({ socket }) =>
      createContextValues().set(isKnown, socket instanceof TLSSocket && socket.authorized),
  });
  const { cert, key } = certificate;
  const server = createSecureServer(
    { cert, key, ca: cert, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      if (request.url === '/enrol') void enrol(request, response, { certificate, token });
      else streams(request, response);
    },
  );
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(options.port, options.host, resolve));
  const cut = () => {
    for (const session of sessions) session.destroy();
  };
  return {
    port: addressOf(server.address()).port,
    cut,
    async close() {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Starts one. Agents enrol with this token; the key of `certificate` signs theirs. */
export async function startFakeController(options: {
  readonly certificate: FakeAuthority;
  readonly token: string;
  readonly assignments?: readonly Assignment[];
  readonly port?: number;
  /** Address to listen on; loopback unless given. */
  readonly host?: string;
}): Promise<FakeController> {
  const waiting = new Set<() => void>();
  let newest: Mailbox<ConnectResponse> | undefined;
  let streams = 0;
  const receive = (message: ConnectRequest['message'], box: Mailbox<ConnectResponse>) => {
    fake.received.push(message);
    if (message.case === 'batch' && fake.acks) fake.records.push(...message.value.records);
    const atUs = BigInt(Date.now()) * 1000n + BigInt(fake.clockAheadUs);
    for (const answer of answersTo(message, fake, atUs))
      box.offer(create(ConnectResponseSchema, { message: answer }));
    for (const check of waiting) check();
  };
  const converse = (requests: AsyncIterable<ConnectRequest>) => {
    const box = createMailbox<ConnectResponse>(1000);
    newest = box;
    streams += 1;
    void (async () => {
      for await (const { message } of requests) receive(message, box);
    })().catch(() => box.close());
    return box;
  };
  const server = await listen({ port: 0, host: '127.0.0.1', ...options, converse });
  const fake: FakeController = {
    endpoint: `https://127.0.0.1:${server.port}`,
    port: server.port,
    received: [],
    records: [],
    get streams() {
      return streams;
    },
    assignments: options.assignments ?? [],
    acks: true,
    answersHeartbeats: true,
    handsOver: false,
    clockAheadUs: 0,
    send: (answer) => void newest?.offer(create(ConnectResponseSchema, { message: answer })),
    cut: server.cut,
    until: (predicate) =>
      new Promise((resolve) => {
        const check = () => {
          if (!predicate()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    async [Symbol.asyncDispose]() {
      newest?.close();
      await server.close();
    },
  };
  return fake;
}
