import net, { type AddressInfo } from 'node:net';
import { systemClock as clock } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { expect, test, vi } from 'vitest';
import { agentPresence } from '../../catalog/agents/presence-store.ts';
import { hasty, nothing, soon, useGatewayFixture } from './testing/gateway-fixture.ts';

const bench = useGatewayFixture();

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
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    cut() {
      isOpen = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('an agent whose gateway was killed is Away since its last heartbeat, once that is 30 s ago', async () => {
  const lastUs = clock.nowUs() - 31_000_000;
  const dead = {
    state: 'Connected',
    gateway_id: 'a dead one',
    session_id: 'lost',
    last_seen_us: lastUs,
  } as const;
  const lost = await bench.rows.agent(bench.place, dead);
  await bench.db.kysely
    .insertInto('connection_spans')
    .values({
      agent_no: lost.agentNo,
      location_no: bench.place.locationNo,
      from_us: lastUs - 1_000_000,
      to_us: null,
      session_id: 'lost',
    })
    .execute();
  const notified: number[] = [];
  await using _listening = await bench.db.subscribe(
    'catalog',
    (notice) => void notified.push(...(notice?.location_nos ?? [])),
  );
  await using _server = await bench.gatewayWith(nothing, 'controller one', hasty);
  await vi.waitFor(async () => {
    const row = await bench.db.kysely
      .selectFrom('agents')
      .selectAll()
      .where('agent_no', '=', lost.agentNo)
      .executeTakeFirst();
    expect(row).toMatchObject({ state: 'Away', away_since_us: lastUs });
  }, soon);
  const span = await bench.db.kysely
    .selectFrom('connection_spans')
    .selectAll()
    .where('session_id', '=', 'lost')
    .executeTakeFirst();
  await vi.waitFor(() => expect(notified).toContain(bench.place.locationNo), soon);
  expect(span?.to_us).toBe(lastUs + 15_000_000); // it was heard every 10 s, and that was written every 4 s
});

test.each(['Revoked', 'Away', 'Fenced'] as const)(
  'the span of an agent that became %s while its gateway was dead is ended, so that it does not count as connected',
  async (state) => {
    const lastUs = clock.nowUs() - 3_600_000_000;
    const session_id = `lost ${state}`;
    const { agentNo } = await bench.rows.agent(bench.place, {
      state,
      gateway_id: 'a dead one',
      session_id,
      last_seen_us: lastUs,
    });
    const span = { agent_no: agentNo, location_no: bench.place.locationNo, session_id };
    await bench.db.kysely
      .insertInto('connection_spans')
      .values({ ...span, from_us: lastUs - 1_000_000, to_us: null })
      .execute();
    await using _server = await bench.gatewayWith(nothing, 'controller one', hasty);
    await vi.waitFor(async () => {
      const ended = await bench.db.kysely
        .selectFrom('connection_spans')
        .select('to_us')
        .where('session_id', '=', session_id)
        .executeTakeFirst();
      expect(ended?.to_us).toBe(lastUs + 15_000_000);
    }, soon);
  },
);

test('a session that other controllers marked as away ends, so that the agent opens a new one', async () => {
  await using server = await bench.gatewayWith(nothing, 'controller one', hasty);
  await using stream = bench.connectTo(server.url);
  await stream.until('welcome');
  await bench.db.kysely
    .updateTable('agents')
    .set({ state: 'Away' })
    .where('agent_no', '=', bench.agent.agentNo)
    .execute();
  expect((await stream.until('goodbye')).reason).toBe(Goodbye_Reason.SHUTDOWN);
});

// The time that it takes is asserted with a fake clock: session.test.ts, 'an agent that says nothing for 25 s is cut'.
test('a link that is cut in the middle, without a FIN, is noticed', async () => {
  await using server = await bench.gatewayWith(nothing, 'controller one', hasty);
  await using way = await deadEnd(server.url);
  await using stream = bench.connectTo(way.url);
  await stream.until('welcome');
  expect(await bench.agentRow()).toMatchObject({ state: 'Connected' });
  way.cut();
  await vi.waitFor(async () => expect(await bench.agentRow()).toMatchObject({ state: 'Away' }), soon);
});

test('what heartbeats count is stored once, also where the database failed meanwhile and the session ended', async () => {
  let failures = 0;
  const agents: typeof agentPresence = {
    ...agentPresence,
    async report(kysely, reports) {
      if (reports.length > 0 && failures < 2) {
        failures += 1;
        throw new Error('Connection terminated unexpectedly');
      }
      await agentPresence.report(kysely, reports);
    },
  };
  await using server = await bench.gatewayWith(nothing, 'controller one', hasty, agents);
  const stream = bench.connectTo(server.url);
  await stream.until('welcome');
  stream.send({ case: 'heartbeat', value: { sequence: 1n, checksSkipped: 2 } });
  await vi.waitFor(() => expect(failures).toBe(1), soon);
  stream.send({ case: 'heartbeat', value: { sequence: 2n, checksSkipped: 3 } });
  await stream.until('heartbeatReply');
  await stream.until('heartbeatReply');
  await stream[Symbol.asyncDispose]();
  await vi.waitFor(async () => expect(await bench.agentRow()).toMatchObject({ state: 'Away' }), soon);
  expect(failures).toBe(2);
  expect(await bench.agentRow()).toMatchObject({ checks_skipped: 5 });
});

test('what a session counted that a newer one replaced is stored, and its status is not', async () => {
  await using server = await bench.gatewayWith(nothing, 'controller one', hasty);
  await using older = bench.connectTo(server.url);
  await older.until('welcome');
  older.send({ case: 'heartbeat', value: { sequence: 1n, checksSkipped: 2, backlogRecords: 9n } });
  await older.until('heartbeatReply');
  await using newer = bench.connectTo(server.url, { counter: 2 });
  await newer.until('welcome');
  newer.send({ case: 'heartbeat', value: { sequence: 1n, checksSkipped: 3, backlogRecords: 4n } });
  await vi.waitFor(
    async () => expect(await bench.agentRow()).toMatchObject({ checks_skipped: 5, backlog_records: 4 }),
    soon,
  );
});
