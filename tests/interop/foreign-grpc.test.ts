import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import { createLog, systemClock } from '@vantage/kernel';
import {
  AgentService,
  ConnectRequestSchema,
  type ConnectResponse,
  ConnectResponseSchema,
  Goodbye_Reason,
} from '@vantage/proto';
import { createDb, createPartitions, type Database, publish } from '@vantage/storage';
import { createSealer } from '@vantage/storage/secrets/seal';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway } from '../../apps/controller/src/agents/gateway/index.ts';
import {
  type ServedAgents,
  serveAgents,
} from '../../apps/controller/src/agents/gateway/testing/serve-agents.ts';
import { runRequests } from '../../apps/controller/src/agents/run-requests/index.ts';
import { agentPresence } from '../../apps/controller/src/catalog/agents/presence-store.ts';
import { recordEvents } from '../../apps/controller/src/results/events/record-events.ts';
import { createIngest } from '../../apps/controller/src/results/ingest/index.ts';
import { rollUps } from '../../apps/controller/src/results/roll-up/index.ts';
import type { Authorities } from '../../apps/controller/src/server/server-certificate.ts';
import { testAuthorities } from '../../apps/controller/src/server/testing/test-authorities.ts';
import type { AgentIdentity } from '../../apps/controller/src/testing/agent-identity.ts';
import { insertEnrolledAgent } from '../../apps/controller/src/testing/agent-identity.ts';

const clock = systemClock;
const log = createLog('interop', 'silent');
let database: TestDatabase;
let db: Database;
let authorities: Authorities;
let served: ServedAgents;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await createDb({ connection: { url: database.url }, log });
  const partitions = createPartitions({ db, clock, log, retentionDays: 2 });
  await partitions.ensure();
  const fold = async () => {};
  const ingest = createIngest({ db, clock, log, fold, partitions, rollUps, runRequests, retentionDays: 2 });
  const sealer = createSealer(new Uint8Array(32));
  authorities = await testAuthorities();
  const gateway = createGateway({
    db,
    clock,
    log,
    sealer,
    controllerId: 'interop',
    ingest,
    runRequests,
    recordEvents,
    agents: agentPresence,
    trusted: () => authorities.trusted,
  });
  served = await serveAgents({ gateway, authorities });
});

afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await db.close();
  await database[Symbol.asyncDispose]();
});

type Outgoing = NonNullable<MessageInitShape<typeof ConnectRequestSchema>['message']>;

/** The stream of a client with grpc-js, another implementation of gRPC over HTTP/2, which uses only the proto files. */
function foreignStream(identity?: AgentIdentity) {
  const { connect } = AgentService.method;
  const ca = Buffer.from(authorities.trusted.join(''));
  const credentials =
    identity === undefined
      ? grpc.credentials.createSsl(ca)
      : grpc.credentials.createSsl(ca, Buffer.from(identity.key), Buffer.from(identity.cert));
  const client = new grpc.Client(`localhost:${served.port}`, credentials);
  const call = client.makeBidiStreamRequest(
    `/${AgentService.typeName}/${connect.name}`,
    (message: Outgoing) =>
      Buffer.from(toBinary(ConnectRequestSchema, create(ConnectRequestSchema, { message }))),
    (bytes: Buffer): ConnectResponse => fromBinary(ConnectResponseSchema, bytes),
  );
  const messages = call[Symbol.asyncIterator]();
  return {
    send: (message: Outgoing) => void call.write(message),
    async next(): Promise<ConnectResponse['message']> {
      const { value, done } = await messages.next();
      if (done) throw new Error('the stream ended');
      return value.message;
    },
    end: () => void call.end(),
    close: () => client.close(),
  };
}

test('a foreign gRPC client gets a Welcome, its plan, an ack and the end of the stream', async () => {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const { agentNo, identity } = await insertEnrolledAgent(rows, authorities.signing, {
    accountNo,
    locationNo,
  });
  const deviceId = 'foreign device';
  const sealed = createSealer(new Uint8Array(32)).seal(
    { url: '127.0.0.1:7', options: { SlowMs: 5 } },
    `device:${deviceId}`,
  );
  const deviceNo = await rows.device(accountNo, [locationNo], { device_id: deviceId, sealed });
  const nowUs = clock.nowUs();
  await rows.hold({ deviceNo, agentNo, locationNo, fromUs: nowUs });

  const stream = foreignStream(identity);
  stream.send({ case: 'hello', value: { bootId: 'foreign', sessionCounter: 1n, capacity: 10 } });
  expect(await stream.next()).toMatchObject({ case: 'welcome', value: { agentNo, locationNo } });
  expect(await stream.next()).toMatchObject({
    case: 'assignments',
    value: {
      snapshot: true,
      final: true,
      upserts: [{ deviceNo, spec: { url: '127.0.0.1:7', options: { case: 'tcp', value: { slowMs: 5 } } } }],
    },
  });
  const result = {
    deviceNo,
    startUs: BigInt(nowUs),
    revision: 1,
    resultCode: 1,
    checkResult: 'fine',
    ttfbMs: 2,
  };
  const records = [{ record: { case: 'result' as const, value: result } }];
  stream.send({ case: 'batch', value: { batchId: 41n, records } });
  expect(await stream.next()).toMatchObject({
    case: 'ack',
    value: { batchId: 41n, inserted: 1, quarantined: 0 },
  });
  stream.send({ case: 'batch', value: { batchId: 42n, records } });
  expect(await stream.next()).toMatchObject({
    case: 'ack',
    value: { batchId: 42n, inserted: 0, repeated: 1 },
  });
  stream.send({ case: 'heartbeat', value: { sequence: 3n, sentUs: 9n } });
  expect(await stream.next()).toMatchObject({
    case: 'heartbeatReply',
    value: { sequence: 3n, agentSentUs: 9n },
  });
  await db.kysely.updateTable('agents').set({ state: 'Revoked' }).where('agent_no', '=', agentNo).execute();
  await publish(db.kysely, 'revoked', { agent_nos: [agentNo], key_nos: [] });
  expect(await stream.next()).toMatchObject({ case: 'goodbye', value: { reason: Goodbye_Reason.REVOKED } });
  stream.end();
  stream.close();
});

test('a foreign client without a certificate gets the status UNAUTHENTICATED', async () => {
  const stream = foreignStream();
  stream.send({ case: 'hello', value: { sessionCounter: 1n } });
  await expect(stream.next()).rejects.toMatchObject({ code: grpc.status.UNAUTHENTICATED });
  stream.close();
});
