import type { Socket } from 'node:net';
import { type Clock, createLog, systemClock } from '@vantage/kernel';
import type { Database } from '@vantage/storage';
import { createSealer } from '@vantage/storage/secrets/seal';
import { createFixtures, type Fixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach } from 'vitest';
import { agentPresence } from '../../../catalog/agents/presence-store.ts';
import { recordEvents } from '../../../results/events/record-events.ts';
import type { Authorities } from '../../../server/server-certificate.ts';
import { testAuthorities } from '../../../server/testing/test-authorities.ts';
import type { AgentIdentity } from '../../../testing/agent-identity.ts';
import { insertEnrolledAgent } from '../../../testing/agent-identity.ts';
import { runRequests } from '../../run-requests/index.ts';
import type { AgentPresence } from '../agent-presence.ts';
import { createGateway } from '../gateway.ts';
import type { BatchReceiver } from '../session-opener.ts';
import { connectAgent } from './agent-stream.ts';
import { serveAgents } from './serve-agents.ts';

const log = createLog('gateway test', 'silent');
const clock = systemClock;
/** Seals what tests store and the gateway opens. */
export const sealer = createSealer(new Uint8Array(32));
/** How long tests wait for what happens beside them. */
export const soon = { timeout: 60_000, interval: 20 };

/** An ingest that stores nothing. */
export const nothing: BatchReceiver = { accept: async () => ({ inserted: 0, repeated: 0, quarantined: 0 }) };

/** Waits twenty times shorter than the machine's clock; the time of day is the true one. */
export const hasty: Clock = {
  nowUs: () => clock.nowUs(),
  monoMs: () => clock.monoMs() * 20,
  sleep: (ms, signal) => clock.sleep(ms / 20, signal),
  timer: (ms, fn) => clock.timer(ms / 20, fn),
};

/** A database, an account with a Location and an agent for each test, and gateways on ports of their own. */
export function useGatewayFixture() {
  let db: Database;
  let rows: Fixtures;
  let authorities: Authorities;
  let place: { accountNo: number; locationNo: number };
  let agent: { agentNo: number; identity: AgentIdentity };

  useDatabase(async (opened) => {
    db = opened;
    rows = createFixtures(db.kysely);
    authorities = await testAuthorities();
  });
  const enrolAgent = (at = place) => insertEnrolledAgent(rows, authorities.signing, at);

  beforeEach(async () => {
    const accountNo = await rows.account();
    place = { accountNo, locationNo: await rows.location(accountNo) };
    agent = await enrolAgent();
  });

  async function gatewayWith(
    ingest: BatchReceiver,
    controllerId = 'controller one',
    time: Clock = clock,
    agents: AgentPresence = agentPresence,
  ) {
    const gateway = createGateway({
      db,
      clock: time,
      log,
      sealer,
      controllerId,
      ingest,
      runRequests,
      recordEvents,
      agents,
      trusted: () => authorities.trusted,
    });
    const served = await serveAgents({ gateway, authorities });
    return {
      ...served,
      gateway,
      /** Called with each of the server's sockets when it closes. */
      onSocket: (see: (socket: Socket) => void) =>
        served.server.on('connection', (socket: Socket) => socket.once('close', () => see(socket))),
    };
  }

  /** How an agent's TLS begins: with its certificate, or without one. */
  const tlsOf = (identity?: AgentIdentity) => ({
    ca: authorities.trusted.join(''),
    ...(identity !== undefined && { cert: identity.cert, key: identity.key }),
  });
  const connectTo = (
    url: string,
    {
      identity = agent.identity,
      ...options
    }: { identity?: AgentIdentity; counter?: number; hello?: boolean } = {},
  ) => connectAgent(url, { tls: tlsOf(identity), ...options });

  function agentRow() {
    return db.kysely
      .selectFrom('agents')
      .selectAll()
      .where('agent_no', '=', agent.agentNo)
      .executeTakeFirstOrThrow();
  }

  async function addDevice({ method = 'TCP', ...values }: { url: string; method?: string }) {
    const deviceId = `device of ${agent.agentNo} ${values.url}`;
    const deviceNo = await rows.device(place.accountNo, [place.locationNo], {
      device_id: deviceId,
      method,
      sealed: sealer.seal({ options: {}, ...values }, `device:${deviceId}`),
    });
    await rows.hold({
      deviceNo,
      agentNo: agent.agentNo,
      locationNo: place.locationNo,
      fromUs: clock.nowUs(),
    });
    return deviceNo;
  }

  return {
    get db() {
      return db;
    },
    get authorities() {
      return authorities;
    },
    get rows() {
      return rows;
    },
    get place() {
      return place;
    },
    get agent() {
      return agent;
    },
    /** An agent that enrolled, at the place of this test unless another one is given. */
    enrolAgent,
    gatewayWith,
    tlsOf,
    connectTo,
    agentRow,
    addDevice,
  };
}
