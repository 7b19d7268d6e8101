import type { Http2SecureServer, Http2Session, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { Code, ConnectError } from '@connectrpc/connect';
import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import type { Database } from '@vantage/storage';
import { createAdmission } from './admission.ts';
import type { AgentPresence } from './agent-presence.ts';
import type { Unsealer } from './assignment.ts';
import { connectionLimits, createConnectionGuard } from './connection-guard.ts';
import type { DatabaseHistory } from './database-history.ts';
import type { RecordFences } from './fence-store.ts';
import { type KnownAgent, ownerOfKey } from './gateway-store.ts';
import { sendAway } from './goodbye.ts';
import { createMessageMemory } from './message-memory.ts';
import { createPeerReader, type Peer } from './peer.ts';
import { keepPinging } from './pings.ts';
import { createPresenceMonitor } from './presence-monitor.ts';
import type { RunRequestReader } from './run-request-feed.ts';
import { type BatchReceiver, createSessionOpener } from './session-opener.ts';
import { createSessionRegistry } from './session-registry.ts';
import { createSessionStream } from './session-stream.ts';
import { createStreamHandler, type Serve, type StreamHandler } from './stream-handler.ts';
import type { AgentUpgrades } from './upgrade-feed.ts';

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

/** Creates the gateway: admission, the session of each agent, and the monitor of all sessions. */
export function createGateway({
  maxConnections = 4_096,
  onAgentSeen = () => {},
  trusted,
  ...deps
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Unsealer;
  readonly controllerId: string;
  readonly ingest: BatchReceiver;
  readonly runRequests: RunRequestReader;
  readonly recordEvents: RecordFences;
  readonly agents: AgentPresence;
  /** Without it agents are not upgraded remotely. */
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
  const serveSession = createSessionStream({
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
    const { owner, slot } = await admission.admit(caller);
    using _slot = slot;
    using _serving = guard.serves(caller.connection?.socket);
    if (owner.state === 'Revoked') yield* sendAway('revoked', owner);
    if (owner.state === 'Fenced') yield* sendAway('fenced', owner);
    yield* serveSession(requests, owner, caller);
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
