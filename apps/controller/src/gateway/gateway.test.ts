import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { type Clock, createLog, createMailbox, systemClock } from '@vantage/kernel';
import {
  AgentService,
  type Batch,
  type ConnectRequestSchema,
  type ConnectResponse,
  Goodbye_Reason,
} from '@vantage/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts';
import { createDb, type Db } from '../db/index.ts';
import { createSealer } from '../seal.ts';
import { createFixtures, type Fixtures } from '../testing/fixtures.ts';
import { type BatchTaker, createGateway } from './gateway.ts';

const log = createLog('gateway test', 'silent');
const clock = systemClock;
const sealer = createSealer(new Uint8Array(32));
const soon = { timeout: 8_000, interval: 20 };
let database: TestDatabase;
let db: Db;
let rows: Fixtures;
let place: { accountNo: number; locationNo: number };
let agent: { agentNo: number; token: string };

beforeAll(async () => {
  database = await createTestDatabase();
  db = await createDb({ connection: { url: database.url }, log });
  rows = createFixtures(db.kysely);
});

afterAll(async () => {
  await db.close();
  await database[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const accountNo = await rows.account();
  place = { accountNo, locationNo: await rows.location(accountNo) };
  agent = await rows.agent(place);
});

async function gatewayWith(ingest: BatchTaker, controllerId = 'controller one', time: Clock = clock) {
  const gateway = createGateway({ db, clock: time, log, sealer, controllerId, ingest });
  const server = http2.createServer(gateway.handler);
  gateway.attach(server);
  await gateway.start();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    gateway,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const nothing: BatchTaker = { take: async () => ({ inserted: 0, repeated: 0, setAside: 0 }) };

type Outgoing = NonNullable<MessageInitShape<typeof ConnectRequestSchema>['message']>;

/** An agent's end of a stream; `until` reads on to the next message of a kind. */
function connectTo(url: string, { token = agent.token, counter = 1, hello = true } = {}) {
  const client = createClient(AgentService, createGrpcTransport({ baseUrl: url }));
  const outgoing = createMailbox<{ message: Outgoing }>(100);
  const ending = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const incoming = client.connect(outgoing, { headers, signal: ending.signal })[Symbol.asyncIterator]();
  const send = (message: Outgoing) => void outgoing.offer({ message });
  if (hello)
    send({
      case: 'hello',
      value: {
        version: '1',
        bootId: 'boot',
        sessionCounter: BigInt(counter),
        capacity: 500,
        hostName: 'host',
      },
    });
  type Kind = NonNullable<ConnectResponse['message']['case']>;
  type Value<K extends Kind> = Extract<ConnectResponse['message'], { case: K }>['value'];
  return {
    send,
    async until<K extends Kind>(kind: K): Promise<Value<K>> {
      while (true) {
        const next = await incoming.next();
        if (next.done) throw new Error(`the stream ended before ${kind}`);
        const { message } = next.value;
        if (message.case === kind) return message.value as Value<K>;
      }
    },
    async rest(): Promise<string[]> {
      const kinds: string[] = [];
      for (let next = await incoming.next(); !next.done; next = await incoming.next())
        kinds.push(next.value.message.case ?? '');
      return kinds;
    },
    async [Symbol.asyncDispose]() {
      outgoing.close();
      ending.abort();
      await incoming.return?.();
    },
  };
}

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
  await rows.hold({ deviceNo, agentNo: agent.agentNo, locationNo: place.locationNo, fromUs: clock.nowUs() });
  return deviceNo;
}

describe('who may connect', () => {
  test.each([
    ['no token', { token: '' }, /bearer token is needed/],
    ['an unknown token', { token: 'nobody' }, /token is not known/],
  ])('%s is refused', async (_what, options, message) => {
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url, options);
    await expect(stream.until('welcome')).rejects.toThrow(message);
  });

  test('an agent is welcomed, its row says where it is, and its end is written', async () => {
    await using server = await gatewayWith(nothing);
    {
      await using stream = connectTo(server.url);
      expect(await stream.until('welcome')).toMatchObject({
        agentNo: agent.agentNo,
        locationNo: place.locationNo,
      });
      expect(await agentRow()).toMatchObject({
        state: 'Connected',
        capacity: 500,
        host_name: 'host',
        gateway_id: 'controller one',
        session_counter: 1,
      });
    }
    await vi.waitFor(async () => expect(await agentRow()).toMatchObject({ state: 'Away' }), soon);
    const spans = await db.kysely
      .selectFrom('connection_spans')
      .selectAll()
      .where('agent_no', '=', agent.agentNo)
      .execute();
    expect(spans).toHaveLength(1);
    expect(spans[0]?.to_us).toBeGreaterThanOrEqual(spans[0]?.from_us ?? Number.POSITIVE_INFINITY);
  });

  test('an old session counter is a copy and is fenced, the agent itself goes on', async () => {
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url, { counter: 5 });
    await stream.until('welcome');
    await using copy = connectTo(server.url, { counter: 4 });
    expect((await copy.until('goodbye')).reason).toBe(Goodbye_Reason.FENCED);
    stream.send({ case: 'heartbeat', value: { sequence: 1n } });
    expect((await stream.until('heartbeatReply')).sequence).toBe(1n);
  });

  test('a newer session replaces the older one, on this controller and on another', async () => {
    await using one = await gatewayWith(nothing, 'controller one');
    await using two = await gatewayWith(nothing, 'controller two');
    await using first = connectTo(one.url, { counter: 1 });
    await first.until('welcome');
    await using second = connectTo(one.url, { counter: 2 });
    await second.until('welcome');
    expect((await first.until('goodbye')).reason).toBe(Goodbye_Reason.REPLACED);
    await using third = connectTo(two.url, { counter: 3 });
    await third.until('welcome');
    expect((await second.until('goodbye')).reason).toBe(Goodbye_Reason.REPLACED);
    expect(await agentRow()).toMatchObject({ state: 'Connected', gateway_id: 'controller two' });
  });

  test('a revoked agent is cut within five seconds and not let in again', async () => {
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url);
    await stream.until('welcome');
    await db.kysely
      .updateTable('agents')
      .set({ state: 'Revoked' })
      .where('agent_no', '=', agent.agentNo)
      .execute();
    await db.notify(db.kysely, 'vantage_revoked', { agent_nos: [agent.agentNo], key_nos: [] });
    const start = performance.now();
    expect((await stream.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
    expect(performance.now() - start).toBeLessThan(5_000);
    await using again = connectTo(server.url, { counter: 2 });
    expect((await again.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
  });
});

describe('the plan', () => {
  test('comes whole at first and as changes after that, with secrets filled in', async () => {
    await db.kysely
      .insertInto('secrets')
      .values({
        account_no: place.accountNo,
        name: 'host',
        secret_id: `secret of ${place.accountNo}`,
        sealed: sealer.seal('127.0.0.1', `secret:secret of ${place.accountNo}`),
      })
      .execute();
    const first = await addDevice({ url: `$${'{secret:host}'}:7` });
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url);
    const snapshot = await stream.until('assignments');
    expect(snapshot).toMatchObject({ snapshot: true, lastPart: true });
    expect(snapshot.upserts).toMatchObject([
      { deviceNo: first, intervalMs: 60_000, retries: 1, spec: { url: '127.0.0.1:7', timeoutMs: 10_000 } },
    ]);
    const second = await addDevice({ url: '127.0.0.1:8' });
    await db.kysely
      .updateTable('assignment_spans')
      .set({ to_us: clock.nowUs() })
      .where('device_no', '=', first)
      .execute();
    await db.notify(db.kysely, 'vantage_plan', { agent_nos: [agent.agentNo] });
    const change = await stream.until('assignments');
    expect(change).toMatchObject({ snapshot: false, removedDeviceNos: [first] });
    expect(change.upserts.map((one) => one.deviceNo)).toEqual([second]);
  });

  test("a script's text goes as it stands, beside the secrets that it asks for", async () => {
    const name = `pop ${place.accountNo}`.replace(' ', '-');
    const secretId = `pop secret of ${place.accountNo}`;
    const sealed = sealer.seal('hunter2', `secret:${secretId}`);
    await db.kysely
      .insertInto('secrets')
      .values({ account_no: place.accountNo, name, secret_id: secretId, sealed })
      .execute();
    const text = `log(secret("${name}"), secret('missing'))`;
    await addDevice({ url: text, method: 'Script' });
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url);
    const { upserts } = await stream.until('assignments');
    expect(upserts).toMatchObject([{ spec: { url: text, secrets: { [name]: 'hunter2' } } }]);
  });

  test('an agent without devices gets an empty snapshot', async () => {
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url);
    expect(await stream.until('assignments')).toMatchObject({ snapshot: true, lastPart: true, upserts: [] });
  });

  test('a long one comes in parts of at most 500', async () => {
    for (let i = 0; i < 3; i += 1) await addDevice({ url: `127.0.0.1:${i + 1}` });
    const template = await db.kysely
      .selectFrom('devices')
      .selectAll()
      .where('account_no', '=', place.accountNo)
      .executeTakeFirstOrThrow();
    for (let i = 0; i < 1_200; i += 1) {
      const { device_no: _no, options: _options, host_data: _data, ...same } = template;
      const device_id = `copy ${agent.agentNo} ${i}`;
      const sealed = sealer.seal({ url: '127.0.0.1:9', options: {} }, `device:${device_id}`);
      const deviceNo = await rows.device(place.accountNo, [place.locationNo], { ...same, device_id, sealed });
      await rows.hold({ deviceNo, agentNo: agent.agentNo, locationNo: place.locationNo, fromUs: 1 });
    }
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url);
    const sizes: number[] = [];
    for (let last = false; !last; ) {
      const part = await stream.until('assignments');
      expect(part.snapshot).toBe(true);
      sizes.push(part.upserts.length);
      last = part.lastPart;
    }
    expect(sizes).toEqual([500, 500, 203]);
  });

  test('an order goes out at once when told of it', async () => {
    const deviceNo = await addDevice({ url: '127.0.0.1:9' });
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url);
    await stream.until('assignments');
    const orderId = `order ${agent.agentNo}`;
    await sql`
      insert into orders (order_id, kind, device_no, agent_no, location_no, revision, deadline_us, created_us)
      values (${orderId}, 'Now', ${deviceNo}, ${agent.agentNo}, ${place.locationNo}, 1, ${clock.nowUs() + 60_000_000},
        ${clock.nowUs()})`.execute(db.kysely);
    await db.notify(db.kysely, 'vantage_order', { agent_no: agent.agentNo });
    expect(await stream.until('order')).toMatchObject({ orderId, deviceNo });
    const order = await db.kysely
      .selectFrom('orders')
      .selectAll()
      .where('order_id', '=', orderId)
      .executeTakeFirst();
    expect(order?.sent_us).not.toBeNull();
  });
});

describe('batches and heartbeats', () => {
  test('a batch is acked after its commit, under its own number', async () => {
    const taken: { agentNo: number; records: number }[] = [];
    const ingest: BatchTaker = {
      async take(sender, batch: Batch) {
        taken.push({ agentNo: sender.agentNo, records: batch.records.length });
        return { inserted: 1, repeated: 2, setAside: 3 };
      },
    };
    await using server = await gatewayWith(ingest);
    await using stream = connectTo(server.url);
    stream.send({ case: 'batch', value: { batchId: 77n, records: [{}, {}] } });
    expect(await stream.until('ack')).toMatchObject({ batchId: 77n, inserted: 1, repeated: 2, setAside: 3 });
    expect(taken).toEqual([{ agentNo: agent.agentNo, records: 2 }]);
  });

  test('a batch that the database cannot take yet is tried again without a word from the agent', async () => {
    let calls = 0;
    const ingest: BatchTaker = {
      async take() {
        calls += 1;
        if (calls < 3) throw new Error('the database is away');
        return { inserted: 1, repeated: 0, setAside: 0 };
      },
    };
    await using server = await gatewayWith(ingest);
    await using stream = connectTo(server.url);
    stream.send({ case: 'batch', value: { batchId: 5n, records: [] } });
    expect((await stream.until('ack')).batchId).toBe(5n);
    expect(calls).toBe(3);
  });

  test('heartbeats are answered while a batch is in work', async () => {
    const commit = Promise.withResolvers<void>();
    const ingest: BatchTaker = {
      async take() {
        await commit.promise;
        return { inserted: 0, repeated: 0, setAside: 0 };
      },
    };
    await using server = await gatewayWith(ingest);
    await using stream = connectTo(server.url);
    stream.send({ case: 'batch', value: { batchId: 1n, records: [] } });
    stream.send({ case: 'heartbeat', value: { sequence: 9n, sentUs: 123n, clockOffsetUs: -40n } });
    const reply = await stream.until('heartbeatReply');
    expect(reply).toMatchObject({ sequence: 9n, agentSentUs: 123n });
    expect(reply.sentUs).toBeGreaterThanOrEqual(reply.receivedUs);
    commit.resolve();
    await stream.until('ack');
  });

  test('what a heartbeat says is in the agents row within a few seconds', async () => {
    await using server = await gatewayWith(nothing);
    await using stream = connectTo(server.url);
    stream.send({
      case: 'heartbeat',
      value: { sequence: 1n, clockOffsetUs: -40n, backlogRecords: 8n, checksSkipped: 2, latenessP99Ms: 4.5 },
    });
    await vi.waitFor(async () => {
      expect(await agentRow()).toMatchObject({
        clock_offset_us: -40,
        backlog_records: 8,
        checks_skipped: 2,
        lateness_p99_ms: 4.5,
      });
    }, soon);
  });

  test('one agent that takes nothing does not hold another', async () => {
    const stuck = await rows.agent(place);
    const ingest: BatchTaker = {
      async take(sender) {
        if (sender.agentNo === stuck.agentNo) await new Promise(() => {});
        return { inserted: 0, repeated: 0, setAside: 0 };
      },
    };
    await using server = await gatewayWith(ingest);
    await using slow = connectTo(server.url, { token: stuck.token });
    await slow.until('welcome');
    for (let i = 0; i < 10; i += 1) slow.send({ case: 'batch', value: { batchId: BigInt(i), records: [] } });
    await using stream = connectTo(server.url);
    stream.send({ case: 'batch', value: { batchId: 1n, records: [] } });
    expect((await stream.until('ack')).batchId).toBe(1n);
  });
});

test('closing finishes the batch in work, says goodbye and takes less than three seconds', async () => {
  const commit = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const ingest: BatchTaker = {
    async take() {
      begun.resolve();
      await commit.promise;
      return { inserted: 1, repeated: 0, setAside: 0 };
    },
  };
  const server = await gatewayWith(ingest);
  await using stream = connectTo(server.url);
  await stream.until('assignments');
  stream.send({ case: 'batch', value: { batchId: 1n, records: [] } });
  await begun.promise;
  const start = performance.now();
  const closed = server[Symbol.asyncDispose]();
  commit.resolve();
  expect(await stream.rest()).toEqual(['ack', 'goodbye']);
  await closed;
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(await agentRow()).toMatchObject({ state: 'Away' });
});

/** Waits twenty times shorter than the machine's clock; the time of day is the true one. */
const hasty: Clock = {
  nowUs: () => clock.nowUs(),
  monoMs: () => clock.monoMs() * 20,
  sleep: (ms, signal) => clock.sleep(ms / 20, signal),
  timer: (ms, fn) => clock.timer(ms / 20, fn),
};

/** A way to the gateway that can be made to swallow everything without closing anything. */
async function deadEnd(url: string) {
  const sockets = new Set<net.Socket>();
  let isOpen = true;
  const server = net.createServer((near) => {
    const far = net.connect(Number(new URL(url).port), '127.0.0.1');
    const relay = (from: net.Socket, to: net.Socket) => {
      sockets.add(from);
      from.on('data', (chunk) => void (isOpen && to.write(chunk)));
      from.on('error', () => {});
      from.on('close', () => void (isOpen && to.destroy()));
    };
    relay(near, far);
    relay(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isOpen = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('an agent whose gateway died without a word is Away since it was last heard', async () => {
  const lastUs = clock.nowUs() - 3 * 60_000_000;
  const dead = {
    state: 'Connected',
    gateway_id: 'a dead one',
    session_id: 'lost',
    last_seen_us: lastUs,
  } as const;
  const lost = await rows.agent(place, dead);
  await db.kysely
    .insertInto('connection_spans')
    .values({
      agent_no: lost.agentNo,
      location_no: place.locationNo,
      from_us: lastUs - 1_000_000,
      to_us: null,
      session_id: 'lost',
    })
    .execute();
  await using _server = await gatewayWith(nothing, 'controller one', hasty);
  await vi.waitFor(async () => {
    const row = await db.kysely
      .selectFrom('agents')
      .selectAll()
      .where('agent_no', '=', lost.agentNo)
      .executeTakeFirst();
    expect(row).toMatchObject({ state: 'Away', away_since_us: lastUs });
  }, soon);
  const span = await db.kysely
    .selectFrom('connection_spans')
    .selectAll()
    .where('session_id', '=', 'lost')
    .executeTakeFirst();
  expect(span?.to_us).toBe(lastUs);
});

test('a session that others gave up is ended, so that the agent begins anew', async () => {
  await using server = await gatewayWith(nothing, 'controller one', hasty);
  await using stream = connectTo(server.url);
  await stream.until('welcome');
  await db.kysely
    .updateTable('agents')
    .set({ state: 'Away' })
    .where('agent_no', '=', agent.agentNo)
    .execute();
  expect((await stream.until('goodbye')).reason).toBe(Goodbye_Reason.SHUTDOWN);
});

test('a link that is cut in the middle without a word is noticed within 30 s', async () => {
  await using server = await gatewayWith(nothing, 'controller one', hasty);
  await using way = await deadEnd(server.url);
  await using stream = connectTo(way.url);
  await stream.until('welcome');
  expect(await agentRow()).toMatchObject({ state: 'Connected' });
  way.cut();
  const start = hasty.monoMs();
  await vi.waitFor(async () => expect(await agentRow()).toMatchObject({ state: 'Away' }), soon);
  expect(hasty.monoMs() - start).toBeLessThan(30_000);
});
