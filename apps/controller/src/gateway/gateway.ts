import { createHash } from 'node:crypto';
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from 'node:http2';
import { Code, ConnectError, createContextKey, createContextValues } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { type Clock, type Logger, messageOf, newId } from '@vantage/kernel';
import { AgentService, type Batch, type ConnectRequest, Goodbye_Reason, type Hello } from '@vantage/proto';
import type { Db } from '../db/index.ts';
import { createAssignmentBuilder, createSecretLookup, type Opener } from './assignment.ts';
import type { Taken } from './batch-line.ts';
import { farewell } from './farewell.ts';
import { helloProblem } from './gate.ts';
import { createOrderFeed } from './order-feed.ts';
import { keepPinging } from './pings.ts';
import { createPlanFeed } from './plan-feed.ts';
import { createRoster } from './roster.ts';
import { createSession } from './session.ts';
import { createSlots } from './slots.ts';
import { type KnownAgent, openSession } from './store.ts';
import { createWatch } from './watch.ts';

/** Where batches go; see the ingest. */
export interface BatchTaker {
  take(
    sender: { readonly agentNo: number; readonly locationNo: number; readonly accountNo: number },
    batch: Batch,
  ): Promise<Taken>;
}

/** The agents' end of a controller. */
export interface Gateway {
  /** For `http2.createSecureServer`. */
  readonly handler: ReturnType<typeof connectNodeAdapter>;
  /** Pings the server's connections, and ends them when the gateway closes. */
  attach(server: Http2SecureServer | Http2Server): void;
  /** Listens to the bus and keeps this controller's row; call once before the server listens. */
  start(): Promise<void>;
  /** Sends agents elsewhere, finishes what is being committed and ends every stream, within 3 s. */
  close(): Promise<void>;
}

const helloWithinMs = 10_000;
const mostBytes = 32 * 1024 * 1024;
/** Commits at one time; the rest of the pool is for heartbeats and the API. */
const ingestsAtOnce = 4;

/** How a stream can be broken from our side. */
const cutKey = createContextKey<() => void>(() => {});

/** Makes the gateway. `onAgentSeen` is told when an agent's session opens or ends. */
export function createGateway({
  db,
  clock,
  log,
  sealer,
  controllerId,
  ingest,
  onAgentSeen = () => {},
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Opener;
  readonly controllerId: string;
  readonly ingest: BatchTaker;
  readonly onAgentSeen?: (agent: KnownAgent) => void;
}): Gateway {
  const kysely = db.kysely;
  const roster = createRoster();
  const build = createAssignmentBuilder({ sealer, log });
  const slots = createSlots(ingestsAtOnce);
  const connections = new Set<ServerHttp2Session>();
  const watch = createWatch({ db, clock, log, controllerId, roster });
  let closing = false;

  const openFor = async (tokenHash: Uint8Array, hello: Hello, cut: () => void) => {
    const sessionId = newId();
    const nowUs = clock.nowUs();
    const opening = await openSession(kysely, {
      tokenHash,
      hello,
      sessionId,
      gatewayId: controllerId,
      nowUs,
    });
    if (opening.kind !== 'open') return opening;
    const { agent } = opening;
    const { agentNo, locationNo, accountNo } = agent;
    const secretsNow = () => createSecretLookup({ kysely, sealer, accountNo });
    const session = createSession({
      agent,
      sessionId,
      clock,
      log,
      plan: createPlanFeed({ kysely, agent, build, log, secretsNow }),
      orders: createOrderFeed({ kysely, clock, log, agent, build, secretsNow }),
      take: (batch) => slots.run(() => ingest.take({ agentNo, locationNo, accountNo }, batch)),
      cut,
    });
    roster.add(session)?.end(Goodbye_Reason.REPLACED, 'a newer session of this agent came');
    log.info({ agentNo, sessionId, version: hello.version }, 'agent connected');
    onAgentSeen(agent);
    await watch.tellPlanner([locationNo], { agentNo, sessionId }).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'the planner will find out by itself');
    });
    return { kind: 'session', session } as const;
  };

  const connect = async function* (
    requests: AsyncIterable<ConnectRequest>,
    { tokenHash, cut, signal }: { tokenHash: Uint8Array; cut: () => void; signal: AbortSignal },
  ) {
    const iterator = requests[Symbol.asyncIterator]();
    const hello = await firstHello(iterator, clock);
    const problem = helloProblem(hello);
    if (problem !== undefined) throw new ConnectError(problem, Code.InvalidArgument);
    const opening = await openFor(tokenHash, hello, cut).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'a session cannot be opened');
      throw new ConnectError('the controller cannot reach its database: try again', Code.Unavailable);
    });
    switch (opening.kind) {
      case 'unknown':
        throw new ConnectError('this token is not known here', Code.Unauthenticated);
      case 'revoked':
        yield farewell(Goodbye_Reason.REVOKED, 'this agent was revoked');
        return;
      case 'copy':
        log.error(
          { agentNo: opening.agent.agentNo, knownCounter: opening.knownCounter, host: hello.hostName },
          'a copy of an agent tried to connect: if its host was restored from a backup, revoke it and invite it again',
        );
        yield farewell(Goodbye_Reason.FENCED, 'an agent with this identity came further than this one');
        return;
      case 'session':
        break;
    }
    const { session } = opening;
    // Reading ends by itself when the transport is gone; it is not waited for, since on a half-open link that is only when it is cut.
    void session.read({ [Symbol.asyncIterator]: () => iterator });
    signal.addEventListener('abort', () => session.abandon(), { once: true });
    try {
      yield* session.messages();
    } finally {
      session.abandon();
      roster.remove(session);
      onAgentSeen(session.agent);
      watch.ended(session);
    }
  };

  const handler = connectNodeAdapter({
    routes: (router) => {
      router.service(AgentService, {
        async *connect(requests, context) {
          const tokenHash = hashOf(context.requestHeader.get('authorization'));
          if (closing) throw new ConnectError('this controller is ending: go to another', Code.Unavailable);
          yield* connect(requests, { tokenHash, cut: context.values.get(cutKey), signal: context.signal });
        },
      });
    },
    contextValues: (request) =>
      createContextValues().set(cutKey, () => {
        if ('stream' in request) request.stream.destroy();
        else request.destroy();
      }),
    connect: false,
    grpcWeb: false,
    readMaxBytes: mostBytes,
    acceptCompression: [],
  });

  return {
    handler,
    attach(server) {
      server.on('session', (connection) => {
        connections.add(connection);
        connection.once('close', () => connections.delete(connection));
        connection.on('error', () => {}); // a broken connection is the streams' matter
        keepPinging(connection, { clock, log });
      });
    },
    start: () => watch.start(),
    async close() {
      closing = true;
      for (const session of roster.all()) session.end(Goodbye_Reason.SHUTDOWN, 'this controller ends');
      await watch.close();
      for (const connection of connections) connection.destroy();
    },
  };
}

async function firstHello(iterator: AsyncIterator<ConnectRequest>, clock: Clock): Promise<Hello> {
  const late = new AbortController();
  const tooLate = clock.sleep(helloWithinMs, late.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    const first = await Promise.race([iterator.next(), tooLate]);
    const message = first?.done === false ? first.value.message : undefined;
    if (message?.case !== 'hello')
      throw new ConnectError('the first message must be a Hello', Code.FailedPrecondition);
    return message.value;
  } finally {
    late.abort();
  }
}

/** SHA-256 of the bearer token (RFC 6750); tokens are compared by their hashes, in the database's index. */
function hashOf(header: string | null): Uint8Array {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined) throw new ConnectError('a bearer token is needed', Code.Unauthenticated);
  return createHash('sha256').update(token).digest();
}
