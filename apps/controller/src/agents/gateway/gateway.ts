import type { Http2SecureServer, Http2Session, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  type Clock,
  createSemaphore,
  declareShare,
  declareState,
  type Logger,
  messageOf,
} from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import type { Db } from '../../platform/db/index.ts';
import { createRateLimiter } from '../../platform/server/rate-limiter.ts';
import type { AgentPresence } from './agent-presence.ts';
import type { Unsealer } from './assignment.ts';
import { connectionLimits, createConnectionGuard } from './connection-guard.ts';
import { createConversation } from './conversation.ts';
import type { DatabaseHistory } from './database-history.ts';
import type { RecordAgentEvents } from './fence-store.ts';
import { sendAway } from './goodbye.ts';
import { createMessageMemory } from './message-gate.ts';
import { createPeerReader, type Peer } from './peer.ts';
import { keepPinging } from './pings.ts';
import { createPresenceMonitor, createSessionRegistry } from './presence-monitor.ts';
import type { RunRequests } from './run-request-feed.ts';
import { type BatchReceiver, createSessionOpener } from './session-opener.ts';
import { type KeyOwner, type KnownAgent, ownerOfKey } from './store.ts';
import { type Caller, createStreamHandler, type Serve, type StreamHandler } from './stream-handler.ts';
import type { AgentUpgrades } from './upgrade-feed.ts';

declareShare({
  name: 'look_ups_of_certificates',
  limit: '2 run, 4,096 wait',
  filledBy: 'agents with a certificate',
  share: '4 streams of an agent wait',
});
declareShare({
  name: 'openings_of_streams',
  limit: '30 in a row and then one a second for each agent',
  filledBy: 'agents',
  share: 'the same',
});

/** The agents' end of a controller. */
export interface Gateway {
  readonly handler: StreamHandler;
  /** Decides on a new connection, before TLS; false: it closed it. */
  admits(socket: Socket): boolean;
  /** Pings the server's connections, and ends them when the gateway closes. */
  attach(server: Http2SecureServer): void;
  /** Listens to the bus and keeps this controller's row; call once before the server listens. */
  start(): Promise<void>;
  /** Sends agents elsewhere, finishes what is being committed and ends every stream, within 3 s. */
  close(): Promise<void>;
  /** A download of an agent's installer runs over this connection, until it is disposed. */
  serves(socket: Parameters<ReturnType<typeof createConnectionGuard>['serves']>[0]): Disposable;
  /** The certificate at the other end of a connection; undefined: it has none. */
  peerOf(connection: Http2Session | undefined): Peer | undefined;
  /** The gateway's present load. */
  readonly load: { readonly sessions: number; readonly waitingBatches: number };
}

const tracked = declareState({
  name: 'agent_http2_sessions',
  entries: { each: 'agent connection' },
  entryBytes: 2_097_152,
  filledBy: 'agents',
  atBound: 'the limit of connections; 2 MB of headers and control frames cut one',
});

/** Creates the gateway: admission, then the conversation with each agent, beside it the monitor of all sessions. */
export function createGateway({
  maxConnections = 4_096,
  onAgentSeen = () => {},
  trusted,
  ...deps
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Unsealer;
  readonly controllerId: string;
  readonly ingest: BatchReceiver;
  readonly runRequests: RunRequests;
  readonly recordEvents: RecordAgentEvents;
  readonly agents: AgentPresence;
  /** Without it agents are not upgraded from afar. */
  readonly upgrades?: AgentUpgrades;
  /** Without it agents do not hear that the database went back. */
  readonly history?: DatabaseHistory;
  /** Connections that the agents' port keeps open in all. */
  readonly maxConnections?: number;
  /** The authorities that sign the certificates of agents, PEM. */
  readonly trusted: () => readonly string[];
  /** Called when an agent's session opens or ends. */
  readonly onAgentSeen?: (agent: KnownAgent) => void;
}): Gateway {
  const { db, clock, log, controllerId, runRequests, agents } = deps;
  const registry = createSessionRegistry();
  const peerOf = createPeerReader({ clock, trusted });
  const guard = createConnectionGuard({ clock, log, limits: connectionLimits(maxConnections) });
  const admission = createAdmission({
    clock,
    log,
    ownerOfKey: (hash) => ownerOfKey(db.kysely, hash),
  });
  const presence = createPresenceMonitor({
    db,
    clock,
    log,
    controllerId,
    registry,
    runRequests,
    agents,
  });
  const opener = createSessionOpener(deps);
  deps.history?.onDoubt(() => {
    for (const session of registry.all())
      session.sendHistory().catch((error: unknown) => {
        log.debug(
          { error: messageOf(error) },
          'an agent hears of the history of the database at its next session',
        );
        session.abandon();
      });
  });
  const converse = createConversation({
    clock,
    log,
    registry,
    presence,
    onAgentSeen,
    memory: createMessageMemory(),
    opener,
  });
  const connections = tracked(new Set<ServerHttp2Session>());
  let closing = false;

  const serve: Serve = async function* (requests, caller) {
    if (closing)
      throw new ConnectError('controller is shutting down; reconnect to another one', Code.Unavailable);
    const { owner, place } = await admission.admit(caller);
    using _place = place;
    using _serving = guard.serves(caller.connection?.socket);
    if (owner.state === 'Revoked') yield* sendAway('revoked', owner);
    if (owner.state === 'Fenced') yield* sendAway('fenced', owner);
    yield* converse(requests, owner, caller);
  };

  return {
    handler: createStreamHandler({
      clock,
      serve,
      peerOf,
      onUnread: (address) => guard.countUnread(address),
    }),
    admits: (socket) => guard.admits(socket),
    attach(server) {
      server.on('session', (connection) => {
        connections.add(connection);
        connection.once('close', () => connections.delete(connection));
        connection.on('error', () => {}); // the streams of a broken connection end by themselves
        keepPinging(connection, { clock, log });
      });
    },
    get load() {
      return { sessions: registry.all().length, waitingBatches: opener.waitingBatches };
    },
    serves: (socket) => guard.serves(socket),
    peerOf,
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

/** Decides by a connection's certificate alone whether its sender may open a stream. */
interface Admission {
  /**
   * The agent of the certificate, and its place among the streams. The caller disposes the place when the stream is
   * over. Throws a ConnectError when the sender may not open a stream.
   */
  admit(sender: Pick<Caller, 'peer'>): Promise<{ readonly owner: KeyOwner; readonly place: Disposable }>;
}

/**
 * Streams that one agent may have at one time: the present one, and some whose end the controller has not noticed yet.
 */
const streamsPerAgent = 4;
/** Streams that one agent may open in a short time. */
const openings = { burst: 30, perSecond: 1, maxKeys: 100_000 };
/**
 * Keys that are looked up at one time. Strangers never use more of the database than this. When too many wait, further
 * callers must try again.
 */
const lookUps = { running: 2, waiting: 4_096 };

const trackedAgents = declareState({
  name: 'agents_with_streams',
  entries: { each: 'agent connection' },
  entryBytes: 100,
  filledBy: 'agents',
  atBound: 'the limit of connections',
});

/** Creates the admission. `ownerOfKey` finds the agent of the SHA-256 of a public key. */
function createAdmission({
  clock,
  log,
  ownerOfKey,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ownerOfKey: (keyHash: Uint8Array) => Promise<KeyOwner | undefined>;
}): Admission {
  const lookingUp = createSemaphore(lookUps);
  const opening = createRateLimiter<number>(openings);
  const streams = trackedAgents(new Map<number, number>());

  const placeOf = (agentNo: number): Disposable => {
    const present = streams.get(agentNo) ?? 0;
    if (present >= streamsPerAgent)
      throw new ConnectError(
        `this agent has ${present} streams, and ${streamsPerAgent} are the most`,
        Code.ResourceExhausted,
      );
    streams.set(agentNo, present + 1);
    return {
      [Symbol.dispose]() {
        const left = (streams.get(agentNo) ?? 1) - 1;
        if (left > 0) streams.set(agentNo, left);
        else streams.delete(agentNo);
      },
    };
  };

  const lookUp = async (keyHash: Uint8Array): Promise<KeyOwner | undefined> => {
    const found = await lookingUp
      .run(() => ownerOfKey(keyHash))
      .catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'a certificate cannot be looked up');
        throw new ConnectError('the controller cannot reach its database: try again', Code.Unavailable);
      });
    if (found === undefined)
      throw new ConnectError('too many agents connect at the same time: try again', Code.Unavailable);
    return found.value;
  };
  const ownerOf = async (peer: Peer | undefined): Promise<KeyOwner> => {
    if (peer === undefined)
      throw new ConnectError('a certificate is needed: the agent must enrol', Code.Unauthenticated);
    const { keyHash, agentId, fault } = peer;
    if (fault !== undefined)
      throw new ConnectError(`this certificate is not accepted: ${fault}`, Code.Unauthenticated);
    const owner = await lookUp(keyHash);
    if (owner?.agentId !== agentId) throw new ConnectError('unknown agent', Code.Unauthenticated);
    return owner;
  };

  return {
    async admit({ peer }) {
      const owner = await ownerOf(peer);
      if (!opening.allow(owner.agentNo, clock.monoMs()))
        throw new ConnectError('this agent opened too many streams in a short time', Code.ResourceExhausted);
      return { owner, place: placeOf(owner.agentNo) };
    },
  };
}
