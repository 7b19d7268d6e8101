import { type Batch, Goodbye_Reason } from '@vantage/proto';
import { describe, expect, test, vi } from 'vitest';
import type { BatchReceiver } from './session-opener.ts';
import { hasty, nothing, soon, useGatewayFixture } from './testing/gateway-fixture.ts';

const bench = useGatewayFixture();

describe('batches and heartbeats', () => {
  test('a batch is acked after its commit, under its own number', async () => {
    const taken: { agentNo: number; records: number }[] = [];
    const ingest: BatchReceiver = {
      async accept(sender, batch: Batch) {
        taken.push({ agentNo: sender.agentNo, records: batch.records.length });
        return { inserted: 1, repeated: 2, quarantined: 3 };
      },
    };
    await using server = await bench.gatewayWith(ingest);
    await using stream = bench.connectTo(server.url);
    stream.send({ case: 'batch', value: { batchId: 77n, records: [{}, {}] } });
    expect(await stream.until('ack')).toMatchObject({
      batchId: 77n,
      inserted: 1,
      repeated: 2,
      quarantined: 3,
      tookMs: expect.any(Number),
      storedMs: expect.any(Number),
      waitingBatches: 0,
      busyPermille: expect.any(Number),
    });
    expect(taken).toEqual([{ agentNo: bench.agent.agentNo, records: 2 }]);
  });

  test('the ack of a batch says how many batches of other agents wait for their turn', async () => {
    const commits: (() => void)[] = [];
    const ingest: BatchReceiver = {
      async accept() {
        await new Promise<void>((resolve) => commits.push(resolve));
        return { inserted: 1, repeated: 0, quarantined: 0 };
      },
    };
    await using server = await bench.gatewayWith(ingest);
    const others = await Promise.all(Array.from({ length: 4 }, () => bench.enrolAgent()));
    await using held = new AsyncDisposableStack();
    const streams = [bench.agent, ...others].map(({ identity }) =>
      held.use(bench.connectTo(server.url, { identity })),
    );
    for (const [at, stream] of streams.entries()) {
      await stream.until('welcome');
      stream.send({ case: 'batch', value: { batchId: BigInt(at), records: [] } });
    }
    // Two of an account are in work at one time.
    await vi.waitFor(() => {
      expect(commits).toHaveLength(2);
      expect(server.gateway.load.waitingBatches).toBe(3);
    }, soon);
    const acks = Promise.all(streams.map((stream) => stream.until('ack')));
    await vi.waitFor(() => {
      commits.shift()?.();
      expect(server.gateway.load.waitingBatches).toBe(0);
    }, soon);
    for (const commit of commits.splice(0)) commit();
    const waiting = (await acks).map(({ waitingBatches }) => waitingBatches ?? -1);
    expect([Math.min(...waiting), Math.max(...waiting)]).toEqual([0, 3]);
  });

  test('a batch that the database cannot take yet is tried again without another message of the agent', async () => {
    let calls = 0;
    const ingest: BatchReceiver = {
      async accept() {
        calls += 1;
        if (calls < 3) throw new Error('the database is away');
        return { inserted: 1, repeated: 0, quarantined: 0 };
      },
    };
    await using server = await bench.gatewayWith(ingest);
    await using stream = bench.connectTo(server.url);
    stream.send({ case: 'batch', value: { batchId: 5n, records: [] } });
    expect((await stream.until('ack')).batchId).toBe(5n);
    expect(calls).toBe(3);
  });

  test('heartbeats are answered while a batch is in work', async () => {
    const commit = Promise.withResolvers<void>();
    const ingest: BatchReceiver = {
      async accept() {
        await commit.promise;
        return { inserted: 0, repeated: 0, quarantined: 0 };
      },
    };
    await using server = await bench.gatewayWith(ingest);
    await using stream = bench.connectTo(server.url);
    stream.send({ case: 'batch', value: { batchId: 1n, records: [] } });
    stream.send({ case: 'heartbeat', value: { sequence: 9n, sentUs: 123n, clockOffsetUs: -40n } });
    const reply = await stream.until('heartbeatReply');
    expect(reply).toMatchObject({ sequence: 9n, agentSentUs: 123n });
    expect(reply.sentUs).toBeGreaterThanOrEqual(reply.receivedUs);
    commit.resolve();
    await stream.until('ack');
  });

  test('the status in a heartbeat is in the row of the agent within a few seconds', async () => {
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    stream.send({
      case: 'heartbeat',
      value: { sequence: 1n, clockOffsetUs: -40n, backlogRecords: 8n, checksSkipped: 2, latenessP99Ms: 4.5 },
    });
    await vi.waitFor(async () => {
      expect(await bench.agentRow()).toMatchObject({
        clock_offset_us: -40,
        backlog_records: 8,
        checks_skipped: 2,
        lateness_p99_ms: 4.5,
      });
    }, soon);
  });

  test('the reports on anchors are in the row of the agent, and a new session begins without them', async () => {
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    const anchors = [
      { target: '10.0.0.1', state: 2, sinceUs: BigInt(Date.now()) * 1000n, text: 'no answer' },
    ];
    stream.send({ case: 'heartbeat', value: { sequence: 1n, anchors } });
    await vi.waitFor(async () => {
      expect(await bench.agentRow()).toMatchObject({
        anchor_states: [{ target: '10.0.0.1', state: 'silent', text: 'no answer' }],
      });
    }, soon);
    await using again = bench.connectTo(server.url, { counter: 2 });
    await again.until('assignments');
    expect(await bench.agentRow()).toMatchObject({ anchor_states: [] });
  });

  test('one agent that takes nothing does not hold another', async () => {
    const stuck = await bench.enrolAgent();
    const ingest: BatchReceiver = {
      async accept(sender) {
        if (sender.agentNo === stuck.agentNo) await new Promise(() => {});
        return { inserted: 0, repeated: 0, quarantined: 0 };
      },
    };
    await using server = await bench.gatewayWith(ingest);
    await using slow = bench.connectTo(server.url, { identity: stuck.identity });
    await slow.until('welcome');
    for (let i = 0; i < 10; i += 1) slow.send({ case: 'batch', value: { batchId: BigInt(i), records: [] } });
    await using stream = bench.connectTo(server.url);
    stream.send({ case: 'batch', value: { batchId: 1n, records: [] } });
    expect((await stream.until('ack')).batchId).toBe(1n);
  });
});

/** An ingest whose first batch begins and then waits for `commit`. */
function heldBatch() {
  const commit = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const ingest: BatchReceiver = {
    async accept() {
      begun.resolve();
      await commit.promise;
      return { inserted: 1, repeated: 0, quarantined: 0 };
    },
  };
  return { ingest, begun, commit };
}

test('closing finishes the batch in work and says goodbye', async () => {
  const { ingest, begun, commit } = heldBatch();
  const server = await bench.gatewayWith(ingest);
  await using stream = bench.connectTo(server.url);
  await stream.until('assignments');
  stream.send({ case: 'batch', value: { batchId: 1n, records: [] } });
  await begun.promise;
  const closed = server[Symbol.asyncDispose]();
  commit.resolve();
  expect(await stream.rest()).toEqual(['ack', 'goodbye']);
  await closed;
  expect(await bench.agentRow()).toMatchObject({ state: 'Away' });
});

test('closing waits for no batch that never ends, nor for its agent', async () => {
  const { ingest, begun, commit } = heldBatch();
  const server = await bench.gatewayWith(ingest, 'controller one', hasty);
  const stream = bench.connectTo(server.url);
  await stream.until('assignments');
  stream.send({ case: 'batch', value: { batchId: 1n, records: [] } });
  await begun.promise;
  await server[Symbol.asyncDispose]();
  await expect(stream.until('ack')).rejects.toThrow();
  commit.resolve();
});

describe('an agent that leaves', () => {
  test('gets a goodbye where no other agent of its Location stays', async () => {
    await bench.rows.agent(bench.place, { state: 'Away' });
    await bench.rows.agent(bench.place, { state: 'Connected', leaving_since_us: 1 });
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    expect(await stream.until('welcome')).toMatchObject({ handsOver: true });
    stream.send({ case: 'heartbeat', value: { sequence: 1n, leaving: true } });
    expect(await stream.until('goodbye')).toMatchObject({ reason: Goodbye_Reason.UNSPECIFIED });
  });

  test('stays connected where another agent stays, the planner is notified, and its next session does not leave', async () => {
    await bench.rows.agent(bench.place, { state: 'Connected' });
    const noticed = Promise.withResolvers<void>();
    await using server = await bench.gatewayWith(nothing);
    {
      await using stream = bench.connectTo(server.url);
      await stream.until('assignments');
      await using _listening = await bench.db.subscribe('catalog', (notice) => {
        if (notice?.location_nos.includes(bench.place.locationNo)) noticed.resolve();
      });
      stream.send({ case: 'heartbeat', value: { sequence: 1n, leaving: true } });
      await noticed.promise;
      expect(await bench.agentRow()).toMatchObject({ state: 'Connected' });
      expect((await bench.agentRow()).leaving_since_us).toBeGreaterThan(0);
      stream.send({ case: 'heartbeat', value: { sequence: 2n, leaving: true } });
      expect((await stream.until('heartbeatReply')).sequence).toBeGreaterThan(0n);
    }
    await using next = bench.connectTo(server.url, { counter: 2 });
    await next.until('welcome');
    expect(await bench.agentRow()).toMatchObject({ state: 'Connected', leaving_since_us: null });
  });
});
