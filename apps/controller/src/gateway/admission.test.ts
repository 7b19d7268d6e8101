import { Goodbye_Reason } from '@vantage/proto';
import { describe, expect, test, vi } from 'vitest';
import { nothing, soon, useGatewayBench } from './testing/bench.ts';

const bench = useGatewayBench();

describe('who may connect', () => {
  test.each([
    ['no token', { token: '' }, /bearer token is needed/],
    ['an unknown token', { token: 'nobody' }, /token is not known/],
  ])('%s is refused', async (_what, options, message) => {
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url, options);
    await expect(stream.until('welcome')).rejects.toThrow(message);
  });

  test('an agent is welcomed, its row says where it is, and its end is written', async () => {
    await using server = await bench.gatewayWith(nothing);
    {
      await using stream = bench.connectTo(server.url);
      expect(await stream.until('welcome')).toMatchObject({
        agentNo: bench.agent.agentNo,
        locationNo: bench.place.locationNo,
      });
      expect(await bench.agentRow()).toMatchObject({
        state: 'Connected',
        capacity: 500,
        host_name: 'host',
        gateway_id: 'controller one',
        session_counter: 1,
      });
    }
    await vi.waitFor(async () => expect(await bench.agentRow()).toMatchObject({ state: 'Away' }), soon);
    const spans = await bench.db.kysely
      .selectFrom('connection_spans')
      .selectAll()
      .where('agent_no', '=', bench.agent.agentNo)
      .execute();
    expect(spans).toHaveLength(1);
    expect(spans[0]?.to_us).toBeGreaterThanOrEqual(spans[0]?.from_us ?? Number.POSITIVE_INFINITY);
  });

  test('an old session counter is a copy and is fenced, the agent itself goes on', async () => {
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url, { counter: 5 });
    await stream.until('welcome');
    await using copy = bench.connectTo(server.url, { counter: 4 });
    expect((await copy.until('goodbye')).reason).toBe(Goodbye_Reason.FENCED);
    stream.send({ case: 'heartbeat', value: { sequence: 1n } });
    expect((await stream.until('heartbeatReply')).sequence).toBe(1n);
  });

  test('a newer session replaces the older one, on this controller and on another', async () => {
    await using one = await bench.gatewayWith(nothing, 'controller one');
    await using two = await bench.gatewayWith(nothing, 'controller two');
    await using first = bench.connectTo(one.url, { counter: 1 });
    await first.until('welcome');
    await using second = bench.connectTo(one.url, { counter: 2 });
    await second.until('welcome');
    expect((await first.until('goodbye')).reason).toBe(Goodbye_Reason.REPLACED);
    await using third = bench.connectTo(two.url, { counter: 3 });
    await third.until('welcome');
    expect((await second.until('goodbye')).reason).toBe(Goodbye_Reason.REPLACED);
    expect(await bench.agentRow()).toMatchObject({ state: 'Connected', gateway_id: 'controller two' });
  });

  test('a revoked agent is cut within five seconds and not let in again', async () => {
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    await stream.until('welcome');
    await bench.db.kysely
      .updateTable('agents')
      .set({ state: 'Revoked' })
      .where('agent_no', '=', bench.agent.agentNo)
      .execute();
    await bench.db.notify(bench.db.kysely, 'vantage_revoked', {
      agent_nos: [bench.agent.agentNo],
      key_nos: [],
    });
    const start = performance.now();
    expect((await stream.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
    expect(performance.now() - start).toBeLessThan(5_000);
    await using again = bench.connectTo(server.url, { counter: 2 });
    expect((await again.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
  });
});
