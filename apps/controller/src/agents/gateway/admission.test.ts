import { type Clock, systemClock } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { publish } from '@vantage/storage';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { changeAgent } from '../../catalog/agents/agent-write.ts';
import { revokeAgent } from '../../catalog/agents/remove-agent.ts';
import { createCatalog } from '../../resources/change.ts';
import { recordEvents } from '../../results/events/record-events.ts';
import { issueIdentity } from '../../testing/agent-identity.ts';
import { connectAgent } from './testing/agent-stream.ts';
import { nothing, sealer, soon, useGatewayFixture } from './testing/gateway-fixture.ts';

const bench = useGatewayFixture();

/** The machine's clock, which counts the waits of some length that began. */
function countingWaits(ofMs: number): Clock & { readonly begun: number } {
  let begun = 0;
  return {
    ...systemClock,
    sleep(ms, signal) {
      if (ms === ofMs) begun += 1;
      return systemClock.sleep(ms, signal);
    },
    get begun() {
      return begun;
    },
  };
}

describe('the decision who may connect', () => {
  test.each([
    ['no certificate', async () => undefined, /certificate is needed/],
    [
      'an unknown certificate',
      async () => (await issueIdentity(bench.authorities.signing)).identity,
      /unknown agent/,
    ],
  ])('%s is refused', async (_what, identity, message) => {
    await using server = await bench.gatewayWith(nothing);
    await using stream = connectAgent(server.url, { tls: bench.tlsOf(await identity()) });
    await expect(stream.until('welcome')).rejects.toThrow(message);
  });

  test('an agent is welcomed, its row names its gateway, and its end is stored', async () => {
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
        traces_on_request: true,
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

  test('of two processes with one identity both are fenced, with an event, until an operator unfences the agent', async () => {
    await using one = await bench.gatewayWith(nothing, 'controller one');
    await using two = await bench.gatewayWith(nothing, 'controller two');
    await using stolen = bench.connectTo(one.url, { counter: 1_000_000 });
    await stolen.until('welcome');
    await using own = bench.connectTo(two.url, { counter: 58 });
    const goodbye = await own.until('goodbye');
    expect(goodbye.reason).toBe(Goodbye_Reason.FENCED);
    expect(goodbye.text).toContain('./vantage agents unfence ');
    expect((await stolen.until('goodbye')).reason).toBe(Goodbye_Reason.FENCED);
    await using later = bench.connectTo(one.url, { counter: 1_000_001 });
    expect((await later.until('goodbye')).reason).toBe(Goodbye_Reason.FENCED);
    expect(await bench.agentRow()).toMatchObject({ state: 'Fenced' });
    const events = await bench.db.kysely
      .selectFrom('events')
      .select(['type', 'device_no', 'location_no'])
      .where('account_no', '=', bench.place.accountNo)
      .execute();
    expect(events).toEqual([{ type: 'AgentFenced', device_no: null, location_no: bench.place.locationNo }]);
    await bench.db.kysely
      .updateTable('agents')
      .set({ state: 'Away', session_counter: 0 })
      .where('agent_no', '=', bench.agent.agentNo)
      .execute();
    await using back = bench.connectTo(one.url, { counter: 59 });
    await back.until('welcome');
  });

  test('a late Hello of a connection that is gone fences no agent', async () => {
    await using server = await bench.gatewayWith(nothing);
    // The row is held, so that the earlier Hello is judged after the later one.
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = bench.db.kysely.transaction().execute(async (trx) => {
      await trx
        .updateTable('agents')
        .set({ session_counter: 7 })
        .where('agent_no', '=', bench.agent.agentNo)
        .execute();
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    {
      await using early = bench.connectTo(server.url, { counter: 6 });
      const answer = early.until('welcome').catch(() => {});
      await vi.waitFor(async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%"agents"%for update%'
            and datname = current_database()`.execute(bench.db.kysely);
        expect(rows).toHaveLength(1);
      }, soon);
      early.cut();
      await answer;
    }
    held.resolve();
    await holding;
    await using stream = bench.connectTo(server.url, { counter: 8 });
    await stream.until('welcome');
    expect(await bench.agentRow()).toMatchObject({ state: 'Connected', session_counter: 8 });
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

  test('a moved agent is sent away by every controller, and its next session is at the new Location with its devices', async () => {
    const there = await bench.rows.location(bench.place.accountNo);
    const here = await bench.addDevice({ url: '192.0.2.1:1' });
    await using one = await bench.gatewayWith(nothing, 'controller one');
    await using two = await bench.gatewayWith(nothing, 'controller two');
    await using stream = bench.connectTo(one.url);
    expect((await stream.until('assignments')).upserts).toMatchObject([{ deviceNo: here }]);
    const { agent_id: agentId } = await bench.agentRow();
    const { name } = await bench.db.kysely
      .selectFrom('locations')
      .select('name')
      .where('location_no', '=', there)
      .executeTakeFirstOrThrow();
    const catalog = createCatalog({ recordChanges: async () => {} });
    await catalog.change(bench.db, { kind: 'command-line' }, (transaction) =>
      changeAgent(transaction, { agentId }, { sent: { Location: name }, nowUs: systemClock.nowUs() }),
    );
    expect(await stream.until('goodbye')).toMatchObject({
      reason: Goodbye_Reason.UNSPECIFIED,
      text: 'this agent was moved to another Location',
    });
    // The planner of the old Location has not ended its assignment yet.
    await using again = bench.connectTo(two.url, { counter: 2 });
    expect(await again.until('welcome')).toMatchObject({ locationNo: there });
    expect((await again.until('assignments')).upserts).toEqual([]);
    const device = await bench.rows.device(bench.place.accountNo, [there], {
      device_id: 'there',
      sealed: sealer.seal({ options: {}, url: '192.0.2.2:1' }, 'device:there'),
    });
    const span = { deviceNo: device, agentNo: bench.agent.agentNo, locationNo: there };
    await bench.rows.hold({ ...span, fromUs: systemClock.nowUs() });
    await publish(bench.db.kysely, 'plan', { agent_nos: [bench.agent.agentNo] });
    expect((await again.until('assignments')).upserts).toMatchObject([{ deviceNo: device }]);
    expect(await bench.agentRow()).toMatchObject({ state: 'Connected', gateway_id: 'controller two' });
    await vi.waitFor(async () => {
      const spans = await bench.db.kysely
        .selectFrom('connection_spans')
        .select(['location_no', 'to_us'])
        .where('agent_no', '=', bench.agent.agentNo)
        .orderBy('from_us')
        .execute();
      expect(spans).toEqual([
        { location_no: bench.place.locationNo, to_us: expect.any(Number) },
        { location_no: there, to_us: null },
      ]);
    }, soon);
  });

  test.each([
    ['that is notified', true],
    ['whose notice is lost', false],
  ])(
    'a revoked agent is cut at once or in the next round, after 4 s, by a controller %s, and no controller lets it in again',
    async (_which, isNotified) => {
      const clock = countingWaits(4_000);
      await using one = await bench.gatewayWith(nothing, 'controller one', clock);
      await using two = await bench.gatewayWith(nothing, 'controller two');
      await using stream = bench.connectTo(one.url);
      await stream.until('welcome');
      const { agent_id: agentId } = await bench.agentRow();
      if (isNotified) {
        const catalog = createCatalog({ recordChanges: async () => {} });
        await catalog.change(bench.db, { kind: 'command-line' }, (transaction) =>
          revokeAgent(transaction, { agentId }, { recordEvents, nowUs: systemClock.nowUs() }),
        );
      } else {
        const row = bench.db.kysely.updateTable('agents').set({ state: 'Revoked' });
        await row.where('agent_id', '=', agentId).execute();
      }
      const { begun } = clock;
      expect(begun).toBeGreaterThan(0);
      expect((await stream.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
      // A round that runs already may have read the row before.
      expect(clock.begun - begun).toBeLessThanOrEqual(2);
      for (const { url } of [one, two]) {
        await using again = bench.connectTo(url, { counter: 2 });
        expect((await again.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
      }
    },
  );
});
