import type { Http2SecureServer, Http2Server, ServerHttp2Session } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { type Clock, type Logger, messageOf, newId } from '@vantage/kernel';
import { type Batch, type ConnectRequest, Goodbye_Reason, type Hello } from '@vantage/proto';
import type { Db } from '../db/index.ts';
import { createAdmission } from './admission.ts';
import { createAssignmentBuilder, createSecretLookup, type Unsealer } from './assignment.ts';
import type { BatchOutcome } from './batch-queue.ts';
import { connectionLimits, createConnectionGuard } from './connection-guard.ts';
import { createFairSlots } from './fair-slots.ts';
import { fenceAgent, type RecordAgentEvents } from './fence-store.ts';
import { helloProblem } from './gate.ts';
import { sendAway } from './goodbye.ts';
import type { MessageRules } from './message-gate.ts';
import { messageBytes, messageBytesOf } from './message-size.ts';
import { answersPing, keepPinging } from './pings.ts';
import { createPlanFeed } from './plan-feed.ts';
import { createPresenceMonitor } from './presence-monitor.ts';
import { createRunRequestFeed, type RunRequests } from './run-request-feed.ts';
import { createSession } from './session.ts';
import { createSessionRegistry } from './session-registry.ts';
import { type KnownAgent, openSession, ownerOfToken, type TokenOwner } from './store.ts';
import { type Caller, createStreamHandler, type Serve, type StreamHandler } from './stream-handler.ts';

/** Where batches go; see the ingest. */
export interface BatchReceiver {
  accept(
    sender: { readonly agentNo: number; readonly locationNo: number; readonly accountNo: number },
    batch: Batch,
    signal: AbortSignal,
  ): Promise<BatchOutcome>;
}

/** The agents' end of a controller. */
export interface Gateway {
  /** For `http2.createSecureServer`. */
  readonly handler: StreamHandler;
  /** Pings the server's connections, and ends them when the gateway closes. */
  attach(server: Http2SecureServer | Http2Server): void;
  /** Listens to the bus and keeps this controller's row; call once before the server listens. */
  start(): Promise<void>;
  /** Sends agents elsewhere, finishes what is being committed and ends every stream, within 3 s. */
  close(): Promise<void>;
}

const helloWithinMs = 10_000;
/** Who sent a suspect Hello must answer a ping within this time to count as alive. */
const answerWithinMs = 5_000;
/** Batches that are committed at one time; the rest of the pool is for heartbeats and the API. */
const ingestLimits = { inAll: 4, perAccount: 2, perAgent: 1 };
/** Bytes of long messages that are held at one time, from before they are read until their commit. */
const memoryLimits = { inAll: 48 * 1024 * 1024, perAccount: 24 * 1024 * 1024, perAgent: 6 * 1024 * 1024 };
/** The same for the longer ones of the first agents: one in all. */
const earlyMemoryLimits = { inAll: 1, perAccount: 1, perAgent: 1 };

/** Makes the gateway. `onAgentSeen` is told when an agent's session opens or ends. */
export function createGateway({
  db,
  clock,
  log,
  sealer,
  controllerId,
  ingest,
  runRequests,
  recordEvents,
  maxConnections = 4_096,
  onAgentSeen = () => {},
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Unsealer;
  readonly controllerId: string;
  readonly ingest: BatchReceiver;
  readonly runRequests: RunRequests;
  readonly recordEvents: RecordAgentEvents;
  /** Connections that the agents' port keeps open in all. */
  readonly maxConnections?: number;
  readonly onAgentSeen?: (agent: KnownAgent) => void;
}): Gateway {
  const kysely = db.kysely;
  const registry = createSessionRegistry();
  const build = createAssignmentBuilder({ sealer, log });
  const slots = createFairSlots(ingestLimits);
  const memory = createFairSlots(memoryLimits);
  const earlyMemory = createFairSlots(earlyMemoryLimits);
  const guard = createConnectionGuard({ clock, log, limits: connectionLimits(maxConnections) });
  const admission = createAdmission({ clock, log, lookUp: (hash) => ownerOfToken(kysely, hash) });
  const connections = new Set<ServerHttp2Session>();
  const presence = createPresenceMonitor({ db, clock, log, controllerId, registry, runRequests });
  let closing = false;

  const openFor = async (openingAgentNo: number, hello: Hello, { gate, cut }: Caller) => {
    const sessionId = newId();
    const nowUs = clock.nowUs();
    const opening = await openSession(kysely, {
      agentNo: openingAgentNo,
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
      runRequests: createRunRequestFeed({ kysely, runRequests, clock, log, agent, build, secretsNow }),
      accept: (batch, signal) =>
        slots.run({ accountNo, agentNo, weight: 1 }, signal, () =>
          ingest.accept({ agentNo, locationNo, accountNo }, batch, signal),
        ),
      takeShare: () => gate.takeShare(),
      isRefusal,
      cut,
    });
    registry.add(session)?.end(Goodbye_Reason.REPLACED, 'a newer session of this agent came');
    log.info({ agentNo, sessionId, version: hello.version }, 'agent connected');
    onAgentSeen(agent);
    await presence.notifyPlanner([locationNo], { agentNo, sessionId }).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'the planner will find out by itself');
    });
    return { kind: 'session', session } as const;
  };

  const rulesFor = (
    { agentNo, accountNo }: TokenOwner,
    version: string,
    signal: AbortSignal,
  ): MessageRules => ({
    maxBytes: messageBytesOf(version),
    claim: (bytes) =>
      bytes > messageBytes
        ? earlyMemory.acquire({ accountNo, agentNo, weight: 1 }, signal)
        : memory.acquire({ accountNo, agentNo, weight: bytes }, signal),
  });

  /** Whether this Hello is a copy's, and the agent is fenced now for it; see `judgeCounter`. */
  const isFenced = async (agent: KnownAgent, hello: Hello, { connection, signal }: Caller) => {
    const answers =
      connection !== undefined && (await answersPing(connection, { clock, withinMs: answerWithinMs }));
    if (!answers || signal.aborted) return false;
    const { hostName } = hello;
    const counter = Number(hello.sessionCounter);
    const fence = { agent, counter, hostName, nowUs: clock.nowUs() };
    if (!(await fenceAgent({ kysely, recordEvents }, fence))) return false;
    log.error(
      { agentNo: agent.agentNo, agentId: agent.agentId, host: hostName },
      'a copy of an agent was seen: both are fenced',
    );
    return true;
  };

  const serve: Serve = async function* (requests, caller) {
    if (closing) throw new ConnectError('this controller is ending: go to another', Code.Unavailable);
    const { owner, place } = await admission.admit(caller.authorization);
    using _place = place;
    using _serving = guard.serves(caller.connection);
    if (owner.state === 'Revoked') yield* sendAway('revoked', owner);
    if (owner.state === 'Fenced') yield* sendAway('fenced', owner);
    yield* converse(requests, owner, caller);
  };

  const converse = async function* (
    requests: AsyncIterable<ConnectRequest>,
    owner: TokenOwner,
    caller: Caller,
  ) {
    const iterator = requests[Symbol.asyncIterator]();
    const hello = await firstHello(iterator, clock);
    const problem = helloProblem(hello);
    if (problem !== undefined) throw new ConnectError(problem, Code.InvalidArgument);
    caller.gate.admit(rulesFor(owner, hello.version, caller.signal));
    const opening = await openFor(owner.agentNo, hello, caller).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'a session cannot be opened');
      throw new ConnectError('the controller cannot reach its database: try again', Code.Unavailable);
    });
    switch (opening.kind) {
      case 'unknown':
        throw new ConnectError('this token is not known here', Code.Unauthenticated);
      case 'revoked':
      case 'fenced':
        return yield* sendAway(opening.kind, opening.agent);
      case 'suspect':
        if (await isFenced(opening.agent, hello, caller)) return yield* sendAway('fenced', opening.agent);
        throw new ConnectError('a newer session of this agent came meanwhile', Code.Aborted);
      case 'session':
        break;
    }
    const { session } = opening;
    // Reading ends by itself when the transport is gone; it is not waited for, since on a half-open link that is only when it is cut.
    void session.read({ [Symbol.asyncIterator]: () => iterator });
    caller.signal.addEventListener('abort', () => session.abandon(), { once: true });
    try {
      yield* session.messages();
      if (session.refusal !== undefined) throw session.refusal;
    } finally {
      session.abandon();
      registry.remove(session);
      onAgentSeen(session.agent);
      presence.ended(session);
    }
  };

  const handler = createStreamHandler({ clock, serve });

  return {
    handler,
    attach(server) {
      guard.attach(server);
      server.on('session', (connection) => {
        connections.add(connection);
        connection.once('close', () => connections.delete(connection));
        connection.on('error', () => {}); // a broken connection is the streams' matter
        keepPinging(connection, { clock, log });
      });
    },
    start: () => presence.start(),
    async close() {
      closing = true;
      for (const session of registry.all()) session.end(Goodbye_Reason.SHUTDOWN, 'this controller ends');
      await presence.close();
      for (const connection of connections) connection.destroy();
      guard[Symbol.dispose]();
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

/** What the gate refused, as opposed to a stream that broke. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    (error.code === Code.ResourceExhausted || error.code === Code.InvalidArgument)
  );
}
