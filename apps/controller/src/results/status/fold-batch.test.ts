import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMaintenance } from './manual-maintenance.ts';
import { createScenario, type ScenarioCheck, second, startUs } from './testing/scenario.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
let a: { locationNo: number; agentNo: number };
let b: { locationNo: number; agentNo: number };

beforeAll(async () => {
  scene = await createScenario();
  a = await scene.location('a');
  b = await scene.location('b');
});
afterAll(() => scene[Symbol.asyncDispose]());

const types = async (device: number) => (await scene.events(device)).map((event) => event.type);

test('a device goes Up, Down from its first error on, and Up; healthy results write nothing', async () => {
  const device = await scene.device([a]);
  const base = { device, agent: a.agentNo };
  await scene.take([{ ...base, at: 0, code: 1 }]);
  const up = await scene.state(device);
  await scene.take([{ ...base, at: 60, code: 1 }]);
  expect(await scene.state(device)).toEqual(up);
  await scene.take([{ ...base, at: 120, code: 3 }]);
  expect(await scene.state(device)).toMatchObject({ status: 'Up', retrying: true });
  await scene.take([{ ...base, at: 122, code: 3, attempt: 1 }]);
  await scene.take([{ ...base, at: 124, code: 3, attempt: 2 }]);
  expect(await scene.state(device)).toMatchObject({
    status: 'Down',
    since_us: startUs + 121 * second,
    retrying: false,
  });
  const down = await scene.state(device);
  await scene.take([{ ...base, at: 180, code: 3 }]);
  expect(await scene.state(device)).toEqual(down);
  await scene.take([{ ...base, at: 240, code: 1 }]);
  expect(await types(device)).toEqual(['Up', 'Error', 'Down', 'Up']);
  expect((await scene.events(device)).at(-1)).toMatchObject({ duration_s: 120, late: false });
  expect(await scene.runRequests(device)).toEqual([]);
});

test('with two Locations the other one gets the run request for the retry, and the agent that saw the error is notified', async () => {
  const device = await scene.device([a, b]);
  await scene.take([{ device, agent: a.agentNo, at: 0, code: 1 }]);
  await scene.take([{ device, agent: a.agentNo, at: 60, code: 3 }]);
  const first = await scene.runRequests(device);
  expect(first).toMatchObject([
    { kind: 'Retry', agent_no: b.agentNo, attempt: 1, not_before_us: startUs + 62 * second },
    { kind: 'RetryDelegated', agent_no: a.agentNo },
  ]);
  const runRequestId = first[0]?.run_request_id ?? '';
  await scene.take([{ device, agent: b.agentNo, at: 62, code: 3, attempt: 1, runRequestId }]);
  const second2 = (await scene.runRequests(device)).filter((order) => order.attempt === 2);
  expect(second2).toMatchObject([{ kind: 'Retry', agent_no: a.agentNo, state: 'Open' }]);
  const last = second2[0]?.run_request_id ?? '';
  await scene.take([{ device, agent: a.agentNo, at: 64, code: 3, attempt: 2, runRequestId: last }]);
  expect(await scene.state(device)).toMatchObject({ status: 'Down', since_us: startUs + 61 * second });
});

test('an inconclusive result passes the same retry to the next agent; a retry sequence that recovers withdraws its open run requests', async () => {
  const device = await scene.device([a, b]);
  await scene.take([{ device, agent: a.agentNo, at: 0, code: 1 }]);
  await scene.take([{ device, agent: a.agentNo, at: 60, code: 3 }]);
  const runRequestId = (await scene.runRequests(device))[0]?.run_request_id ?? '';
  await scene.take([{ device, agent: b.agentNo, at: 62, code: 10, attempt: 1, runRequestId }]);
  const again = (await scene.runRequests(device)).filter(
    (order) => order.state === 'Open' && order.kind === 'Retry',
  );
  expect(again).toMatchObject([{ agent_no: a.agentNo, attempt: 1 }]);
  await scene.take([{ device, agent: a.agentNo, at: 65, code: 1 }]);
  expect(await types(device)).toEqual(['Up', 'Error', 'Recovered']);
  expect((await scene.runRequests(device)).filter((order) => order.state === 'Open')).toEqual([]);
});

test('an unanswered retry goes to the next agent with the same k', async () => {
  const device = await scene.device([a, b]);
  await scene.take([{ device, agent: a.agentNo, at: 0, code: 1 }]);
  await scene.take([{ device, agent: a.agentNo, at: 60, code: 3 }]);
  await scene.sweepRetries(startUs + 70 * second);
  expect(await scene.runRequests(device)).toHaveLength(2);
  await scene.sweepRetries(startUs + 90 * second);
  const orders = (await scene.runRequests(device)).filter((order) => order.kind === 'Retry');
  expect(orders).toMatchObject([
    { agent_no: b.agentNo, attempt: 1, state: 'Expired' },
    { agent_no: a.agentNo, attempt: 1, state: 'Open' },
  ]);
});

test('a retry sequence that its only agent did not continue is continued by run request', async () => {
  const device = await scene.device([a]);
  await scene.take([{ device, agent: a.agentNo, at: 0, code: 1 }]);
  await scene.take([{ device, agent: a.agentNo, at: 60, code: 3 }]);
  await scene.sweepRetries(startUs + 75 * second);
  expect(await scene.runRequests(device)).toEqual([]);
  await scene.sweepRetries(startUs + 90 * second);
  expect(await scene.runRequests(device)).toMatchObject([{ kind: 'Retry', agent_no: a.agentNo, attempt: 1 }]);
});

test('a cut agent delivers an outage late: late events, the same intervals, a check now where the device is not Up', async () => {
  const lone = await scene.location('lone');
  const device = await scene.device([lone]);
  const base = { device, agent: lone.agentNo };
  await scene.take([{ ...base, at: 0, code: 1 }]);
  await scene.cut(lone.agentNo, 30);
  await sql`update agents set state = 'Connected' where agent_no = ${lone.agentNo}`.execute(scene.kysely);
  const late: ScenarioCheck[] = [
    { ...base, at: 60, code: 3, arrives: 1000 },
    { ...base, at: 62, code: 3, attempt: 1, arrives: 1000 },
    { ...base, at: 64, code: 3, attempt: 2, arrives: 1000 },
  ];
  await scene.take([{ ...base, at: 990, code: 1 }]);
  await scene.take(late.toReversed());
  await scene.take(late);
  const events = await scene.events(device);
  expect(events.map((event) => event.type)).toEqual(['Up', 'Error', 'Down', 'Up']);
  expect(events.map((event) => event.late)).toEqual([false, true, true, false]);
  const intervals = await scene.kysely
    .selectFrom('status_intervals')
    .select(['from_us', 'status'])
    .where('device_no', '=', device)
    .orderBy('from_us')
    .execute();
  expect(intervals.map((one) => [(one.from_us - startUs) / second, one.status])).toEqual([
    [0, 'Unknown'],
    [1, 'Up'],
    [61, 'Down'],
    [991, 'Up'],
  ]);
  expect(await scene.state(device)).toMatchObject({ status: 'Up' });
  expect(await scene.runRequests(device)).toEqual([]);

  const dead = await scene.device([lone]);
  await scene.take([{ ...base, device: dead, at: 0, code: 1 }]);
  await scene.take(late.map((check) => ({ ...check, device: dead })));
  expect(await scene.state(dead)).toMatchObject({ status: 'Down', since_us: startUs + 61 * second });
  expect(await scene.runRequests(dead)).toMatchObject([{ kind: 'Now', agent_no: lone.agentNo }]);
});

test('a device with an event Up gets no second one from an earlier check that came later', async () => {
  const device = await scene.device([a, b]);
  await scene.take([{ device, agent: b.agentNo, at: 2, code: 1 }]);
  await scene.take([{ device, agent: a.agentNo, at: 1, code: 1 }]);
  expect(await types(device)).toEqual(['Up']);
  expect(await scene.state(device)).toMatchObject({ status: 'Up', since_us: startUs + 2 * second });
});

test('a late result that has no event of its own, but takes the status away that followed it, gets a correction', async () => {
  const device = await scene.device([a, b]);
  await scene.take([{ device, agent: a.agentNo, at: 0, code: 1 }]);
  await scene.take([{ device, agent: b.agentNo, at: 30, code: 10 }]);
  await scene.take([{ device, agent: a.agentNo, at: 60, code: 10 }]);
  expect(await types(device)).toEqual(['Up', 'Unknown']);
  await scene.take([{ device, agent: b.agentNo, at: 45, code: 1, arrives: 80 }]);
  expect(await scene.state(device)).toMatchObject({ status: 'Up', since_us: startUs + second });
  expect(await types(device)).toEqual(['Up', 'Unknown', 'Up']);
  expect((await scene.events(device)).at(-1)?.message).toContain('corrected to Up');
});

test('two Locations, one cut: late results of the cut one change only history where the other was online', async () => {
  const cut = await scene.location('cut');
  const device = await scene.device([b, cut]);
  await scene.take([{ device, agent: b.agentNo, at: 0, code: 1 }]);
  await scene.cut(cut.agentNo, 30);
  const base = { device, agent: cut.agentNo, code: 3, arrives: 1000 };
  await scene.take([0, 1, 2].map((attempt) => ({ ...base, at: 60 + 2 * attempt, attempt })));
  expect(await types(device)).toEqual(['Up']);
});

test('each result of a batch counts by the connections at its own start', async () => {
  const other = await scene.location('connected twice');
  const device = await scene.device([b, other]);
  await scene.take([{ device, agent: b.agentNo, at: 0, code: 1 }]);
  await scene.cut(other.agentNo, 200);
  await sql`insert into connection_spans (agent_no, location_no, from_us, to_us, session_id) values (${other.agentNo},
    ${other.locationNo}, ${startUs + 300 * second}, ${startUs + 400 * second}, 'second')`.execute(
    scene.kysely,
  );
  const late = { device, agent: b.agentNo, code: 3, arrives: 1000 };
  await scene.take([
    ...[0, 1, 2].map((attempt) => ({ ...late, at: 100 + 2 * attempt, attempt })),
    { ...late, at: 999, code: 1 },
  ]);
  expect(await types(device)).toEqual(['Up']);
});

test('a result that another agent made needless requests no check, though the device retries', async () => {
  const cut = await scene.location('cut while the other one retries');
  const device = await scene.device([b, cut]);
  await scene.take([{ device, agent: b.agentNo, at: 0, code: 1 }]);
  await scene.cut(cut.agentNo, 30);
  await scene.take([{ device, agent: b.agentNo, at: 990, code: 3 }]);
  const before = await scene.runRequests(device);
  await scene.take([{ device, agent: cut.agentNo, at: 60, code: 3, arrives: 1000 }]);
  expect(await scene.state(device)).toMatchObject({ retrying: true });
  expect(await scene.runRequests(device)).toEqual(before);
});

test('a status that ended lasted since the end of a maintenance in it, whatever else the batch ends', async () => {
  const [early, later] = [await scene.device([a]), await scene.device([a])];
  const base = { agent: a.agentNo };
  await scene.take([{ ...base, device: early, at: 0, code: 1 }]);
  const request = { deviceNo: early, accountNo: scene.accountNo };
  await startMaintenance(scene, { ...request, nowUs: startUs + 20 * second, durationUs: 30 * second });
  await scene.take([{ ...base, device: later, at: 200, code: 1 }]);
  await scene.take(
    [early, later].flatMap((device) =>
      [0, 1, 2].map((attempt) => ({ ...base, device, at: 300 + 2 * attempt, code: 3, attempt })),
    ),
  );
  const lasted = await Promise.all(
    [early, later].map(
      async (device) => (await scene.events(device)).find(({ type }) => type === 'Down')?.duration_s,
    ),
  );
  expect(lasted).toEqual([251, 100]);
});
