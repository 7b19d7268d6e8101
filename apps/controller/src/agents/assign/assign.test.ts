import { type Clock, createLog, systemClock } from '@vantage/kernel';
import { type Database, publish, takeLeases } from '@vantage/storage';
import { createFixtures, type Fixtures } from '@vantage/testing/fixtures';
import { setUp } from '@vantage/testing/set-up';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createTimeScale } from '../../config/time-scale.ts';
import { createAssign } from './assign.ts';

const log = createLog('assign test', 'silent');
let db: Database;
let rows: Fixtures;

useDatabase((opened) => {
  db = opened;
  rows = createFixtures(db.kysely);
});

/** A planner at work for the length of a test. */
function running(
  controllerId = 'one',
  timeScale = 1,
  { plannerDb = db, clock = systemClock }: { readonly plannerDb?: Database; readonly clock?: Clock } = {},
) {
  const ending = new AbortController();
  const done = createAssign({
    db: plannerDb,
    clock,
    log,
    controllerId,
    timeScale: createTimeScale(timeScale),
  }).run(ending.signal);
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await done;
    },
  };
}

async function site(agents: number, devices: number) {
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo, { online: true });
  const agentNos: number[] = [];
  for (let i = 0; i < agents; i += 1) {
    const connected = { state: 'Connected', connected_us: systemClock.nowUs() } as const;
    agentNos.push((await rows.agent({ accountNo, locationNo }, connected)).agentNo);
  }
  const deviceNos: number[] = [];
  for (let i = 0; i < devices; i += 1) deviceNos.push(await rows.device(accountNo, [locationNo]));
  return { accountNo, locationNo, agentNos, deviceNos };
}

function open(locationNo: number) {
  return db.kysely
    .selectFrom('assignment_spans')
    .selectAll()
    .where('location_no', '=', locationNo)
    .where('to_us', 'is', null)
    .orderBy('device_no')
    .execute();
}

const soon = { timeout: 60_000, interval: 20 };

test('a device of a Location with an agent is planned, and its agent is notified', async () => {
  const { locationNo, agentNos, deviceNos } = await site(1, 3);
  const notices: unknown[] = [];
  await using _listening = await db.subscribe('plan', (notice) => notices.push(notice));
  await using _planner = running();
  await vi.waitFor(async () => expect(await open(locationNo)).toHaveLength(3), soon);
  expect((await open(locationNo)).map((span) => span.device_no)).toEqual(deviceNos);
  await vi.waitFor(() => expect(notices).toContainEqual({ agent_nos: agentNos }), soon);
});

test('a new device is planned because the catalog notifies the planner, which would look by itself much later; a deleted one is gone with its spans', async () => {
  const { accountNo, locationNo, deviceNos } = await site(1, 1);
  const clock: Clock = { ...systemClock, timer: (ms, fn) => systemClock.timer(ms * 1_000, fn) };
  await using _planner = running('one', 1, { clock });
  await vi.waitFor(async () => expect(await open(locationNo)).toHaveLength(1), soon);
  const added = await rows.device(accountNo, [locationNo]);
  await publish(db.kysely, 'catalog', { location_nos: [locationNo] });
  await vi.waitFor(async () => expect(await open(locationNo)).toHaveLength(2), soon);
  await db.kysely.deleteFrom('devices').where('device_no', '=', added).execute();
  expect((await open(locationNo)).map((span) => span.device_no)).toEqual(deviceNos);
});

test('a lost agent keeps its share for the grace time, then the others have it', async () => {
  const { locationNo, agentNos } = await site(2, 40);
  const [lost = 0, left = 0] = agentNos;
  await using _planner = running('one', 40);
  await vi.waitFor(async () => expect(await open(locationNo)).toHaveLength(40), soon);
  const before = (await open(locationNo)).filter((span) => span.agent_no === lost);
  expect(before.length).toBeGreaterThan(5);
  const awayUs = systemClock.nowUs();
  await db.kysely
    .updateTable('agents')
    .set({ state: 'Away', away_since_us: awayUs })
    .where('agent_no', '=', lost)
    .execute();
  await publish(db.kysely, 'catalog', { location_nos: [locationNo] });
  await vi.waitFor(async () => {
    const assignedAgents = new Set((await open(locationNo)).map((span) => span.agent_no));
    expect(assignedAgents).toEqual(new Set([left]));
  }, soon);
  const ended = await db.kysely
    .selectFrom('assignment_spans')
    .selectAll()
    .where('agent_no', '=', lost)
    .where('to_us', 'is not', null)
    .execute();
  expect(ended).toHaveLength(before.length);
  expect(ended.every((span) => (span.to_us ?? 0) >= awayUs + 875_000)).toBe(true);
});

test('an agent that leaves hands its devices over: the new span begins where the old one ends, after a notice', async () => {
  const { locationNo, agentNos } = await site(2, 40);
  const [leaver = 0, other = 0] = agentNos;
  await using _planner = running();
  await vi.waitFor(async () => expect(await open(locationNo)).toHaveLength(40), soon);
  const before = (await open(locationNo)).filter((span) => span.agent_no === leaver);
  expect(before.length).toBeGreaterThan(5);
  const leavesUs = systemClock.nowUs();
  await db.kysely
    .updateTable('agents')
    .set({ leaving_since_us: leavesUs })
    .where('agent_no', '=', leaver)
    .execute();
  await publish(db.kysely, 'catalog', { location_nos: [locationNo] });
  await vi.waitFor(async () => {
    expect(new Set((await open(locationNo)).map((span) => span.agent_no))).toEqual(new Set([other]));
  }, soon);
  const spans = await db.kysely
    .selectFrom('assignment_spans')
    .selectAll()
    .where('location_no', '=', locationNo)
    .execute();
  for (const { device_no } of before) {
    const [old, now] = spans
      .filter((span) => span.device_no === device_no)
      .sort((a, b) => a.from_us - b.from_us);
    expect(old).toMatchObject({ agent_no: leaver, to_us: now?.from_us });
    expect(now).toMatchObject({ agent_no: other, handed_over: true });
    expect(now?.from_us).toBeGreaterThanOrEqual(leavesUs + 3_000_000);
  }
  expect(spans.filter((span) => span.handed_over)).toHaveLength(before.length);
});

test('a Location that goes offline keeps its spans, and the others take its place in the rotation', async () => {
  const { accountNo, locationNo, agentNos } = await site(1, 1);
  const other = await rows.location(accountNo, { online: true });
  await rows.agent({ accountNo, locationNo: other }, { state: 'Connected' });
  const shared = await rows.device(accountNo, [locationNo, other]);
  await using _planner = running();
  await vi.waitFor(
    async () => expect((await open(other))[0]).toMatchObject({ rotation_index: 1, rotation_size: 2 }),
    soon,
  );
  await db.kysely
    .updateTable('agents')
    .set({ state: 'Away', away_since_us: 1 })
    .where('agent_no', '=', agentNos[0] ?? 0)
    .execute();
  await db.kysely
    .updateTable('locations')
    .set({ online: false })
    .where('location_no', '=', locationNo)
    .execute();
  await publish(db.kysely, 'catalog', { location_nos: [other, locationNo] });
  const alone = {
    device_no: shared,
    rotation_index: 0,
    rotation_size: 1,
    retries_locally: true,
    run_immediately: true,
  };
  await vi.waitFor(async () => expect((await open(other))[0]).toMatchObject(alone), soon);
  expect(await open(locationNo)).toHaveLength(2);
});

test('two planners never plan one Location at the same time', async () => {
  const sites = await Promise.all([site(1, 5), site(1, 5), site(1, 5)]);
  await using _one = running('one');
  await using _two = running('two');
  for (const { locationNo } of sites) {
    await vi.waitFor(async () => expect(await open(locationNo)).toHaveLength(5), soon);
  }
  const all = await db.kysely
    .selectFrom('assignment_spans')
    .selectAll()
    .where('to_us', 'is not', null)
    .execute();
  const numbers = new Set(sites.flatMap(({ locationNo }) => locationNo));
  expect(all.filter((span) => numbers.has(span.location_no))).toEqual([]);
});

test('a device that is made just after the planner was killed is planned by another within 5 s', async () => {
  const { accountNo, locationNo } = await site(1, 0);
  const dead = await takeLeases(db.kysely, [`plan:${locationNo}`], 'dead', 3_000);
  expect(dead).toHaveLength(1);
  await using _planner = running('two');
  const made = await rows.device(accountNo, [locationNo]);
  const madeUs = systemClock.nowUs();
  await publish(db.kysely, 'catalog', { location_nos: [locationNo] });
  await vi.waitFor(async () => expect(await open(locationNo)).toHaveLength(1), soon);
  expect(await open(locationNo)).toMatchObject([{ device_no: made }]);
  expect((await open(locationNo))[0]?.from_us).toBeLessThan(madeUs + 5_000_000);
});

test('when a second agent connects, spans go on, and no agent retries by itself any more', async () => {
  const { accountNo, locationNo, agentNos } = await site(1, 20);
  await using _planner = running();
  await vi.waitFor(async () => expect(await open(locationNo)).toHaveLength(20), soon);
  const before = await open(locationNo);
  expect(before.every((span) => span.retries_locally)).toBe(true);
  await rows.agent({ accountNo, locationNo }, { state: 'Connected', connected_us: systemClock.nowUs() });
  await publish(db.kysely, 'catalog', { location_nos: [locationNo] });
  await vi.waitFor(async () => {
    expect((await open(locationNo)).every((span) => !span.retries_locally)).toBe(true);
  }, soon);
  const stayed = (await open(locationNo)).filter((span) => span.agent_no === agentNos[0]);
  const begins = new Map(before.map((span) => [span.device_no, span.from_us]));
  expect(stayed.length).toBeGreaterThan(0);
  expect(stayed.every((span) => span.from_us === begins.get(span.device_no))).toBe(true);
});

test('the planner needs far fewer statements than devices for ten thousand devices in one Location', async () => {
  const { accountNo, locationNo } = await site(3, 0);
  const insert = sql`
    with made as (
      insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries,
        retry_delay_s, locations_given, changed_us, created_us, updated_us)
      select 'many ' || n, ${accountNo}, 'TCP', '', '', 'd', 1, 10, 1, 10, true, 1, 1, 1
      from generate_series(1, 10000) as n returning device_no
    )
    insert into device_locations select device_no, ${locationNo}, 0 from made`;
  await setUp(db.kysely, (connection) => insert.execute(connection));
  let statements = 0;
  const counted = db.kysely.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await using _planner = running('many', 1, { plannerDb: { ...db, kysely: counted } });
  await vi.waitFor(async () => {
    const { rows: counted } = await sql<{ n: number }>`
      select count(*)::int as n from assignment_spans
      where location_no = ${locationNo} and to_us is null`.execute(db.kysely);
    expect(counted[0]?.n).toBe(10_000);
  }, soon);
  expect(statements).toBeGreaterThan(0);
  expect(statements).toBeLessThan(1_000);
});
