import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMaintenance, stopMaintenance } from '../../results/status/manual-maintenance.ts';
import { second, startUs } from '../../results/status/testing/scenario.ts';
import { createAlertFixture } from './testing/alert-fixture.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let place: { locationNo: number; agentNo: number };

beforeAll(async () => {
  fixture = await createAlertFixture();
  place = await fixture.location('Oslo');
  await fixture.everybody();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Checks of a device with this code, one a second; retries where asked. */
async function checks(device: number, from: number, codes: readonly number[], retry = true) {
  for (const [k, code] of codes.entries())
    await fixture.take([{ device, agent: place.agentNo, at: from + k * 2, code, attempt: retry ? k : 0 }]);
}

/** A device that was Up and is Down: Retries is 2. */
async function downDevice(from = 10) {
  const device = await fixture.device([place]);
  await checks(device, 0, [1]);
  await checks(device, from, [3, 3, 3]);
  return device;
}

async function types(device: number) {
  return (await fixture.events(device)).map(({ type }) => type).filter((type) => type.startsWith('Alert'));
}

test('Down notifies the contacts of the schedule and Up those who were notified, each once however many controllers decide', async () => {
  const device = await downDevice();
  await fixture.decide(20, 3);
  await fixture.decide(21, 3);
  expect(await fixture.messages(device)).toEqual(['device.down']);
  await checks(device, 30, [1], false);
  await fixture.decide(31, 3);
  await fixture.decide(90, 3);
  expect(await fixture.messages(device)).toEqual(['device.down', 'device.up']);
  expect(await types(device)).toEqual(['Alert']);
  const { rows } = await sql<{ kind: string; step: number | null }>`
    select n.kind, n.step from notifications n join alerts a using (alert_no) where a.device_no = ${device}
    order by n.notification_no`.execute(fixture.kysely);
  expect(rows).toEqual([
    { kind: 'device.down', step: 1 },
    { kind: 'device.up', step: null },
  ]);
  expect(await fixture.alerts(device)).toMatchObject([
    {
      kind: 'device.down',
      since_us: startUs + 11 * second,
      ended_up: true,
      due_us: null,
      location_no: place.locationNo,
    },
  ]);
});

test.each([0, 1, 2, 3])(
  'a target that fails %i times alerts exactly when that is more than its 2 retries',
  async (failures) => {
    const device = await fixture.device([place]);
    await checks(device, 0, [1]);
    const codes = [3, 3, 3].map((code, k) => (k < failures ? code : 1)).slice(0, failures + 1);
    await checks(device, 10, codes);
    await fixture.decide(20);
    expect(await fixture.messages(device)).toEqual(failures > 2 ? ['device.down'] : []);
  },
);

test('a device behind a Down master is suppressed with an event, and alerts after a sequence of its own when the master is back', async () => {
  const [router, device] = [await downDevice(), await fixture.device([place])];
  await fixture.behind(device, router);
  await checks(device, 0, [1]);
  await checks(device, 12, [3, 3, 3]);
  await fixture.decide(20);
  expect(await fixture.messages(device)).toEqual([]);
  expect(await types(device)).toEqual(['AlertSuppressed']);
  expect(await fixture.alerts(device)).toMatchObject([
    { phase: 'suppressed', reason: 'its master a is Down' },
  ]);
  await checks(router, 40, [1], false);
  // The master is Up, its check is asked for; then the device's own sequence: three checks.
  for (let round = 0; round < 6; round += 1)
    await answerRequests(50 + round * 10, { [router]: 1, [device]: 3 });
  expect(await fixture.messages(device)).toEqual(['device.down']);
  expect(await fixture.messages(router)).toEqual(['device.down', 'device.up']);
  expect((await fixture.runRequests(device)).filter(({ kind }) => kind === 'Now')).toHaveLength(3);
});

/** A device that is Down from two Locations, and its master, which was Down and is back. */
async function downBehindRouter(other: typeof place) {
  const [router, device] = [await downDevice(), await fixture.device([place, other])];
  await fixture.behind(device, router);
  await checks(device, 0, [1]);
  for (const [attempt, { agentNo: agent }] of [place, other, place].entries())
    await fixture.take([{ device, agent, at: 12 + 2 * attempt, code: 3, attempt }]);
  await fixture.decide(20);
  await checks(router, 40, [1], false);
  return { router, device };
}

test('the checks of such a sequence go to the Locations of the device in turn', async () => {
  const other = await fixture.location('Rome');
  const { router, device } = await downBehindRouter(other);
  for (let round = 0; round < 6; round += 1)
    await answerRequests(50 + round * 10, { [router]: 1, [device]: 3 });
  const own = (await fixture.runRequests(device)).filter(({ kind }) => kind === 'Now');
  const [first, second] = own.map(({ agent_no }) => agent_no);
  expect(new Set([first, second])).toEqual(new Set([place.agentNo, other.agentNo]));
});

test.each([0, 1])(
  'a Location that decides nothing (%i of two) does not keep a device from its alert',
  async (silent) => {
    const other = await fixture.location(`Bern ${silent}`);
    const { router, device } = await downBehindRouter(other);
    const { agentNo } = [place, other][silent] ?? place;
    for (let at = 50; at < 700; at += 10)
      await answerRequests(at, { [router]: 1, [device]: 3 }, (agent) => (agent === agentNo ? 10 : undefined));
    expect(await fixture.messages(device)).toEqual(['device.down']);
  },
);

test('a check of the device is waited for as long as another one of it may run before', async () => {
  const [router, device] = [await downDevice(), await downDevice(12)];
  await fixture.behind(device, router);
  await fixture.decide(20);
  await checks(router, 40, [1], false);
  await answerRequests(50, { [router]: 1 });
  await fixture.decide(60);
  const { rows } = await sql<{ seconds: number }>`
    select ((deadline_us - created_us) / 1000000)::int as seconds from run_requests
    where device_no = ${device} and kind = 'Now'`.execute(fixture.kysely);
  // Twice its Timeout of 10 s, and 5 s.
  expect(rows).toEqual([{ seconds: 25 }]);
});

/**
 * Decides at this second, and answers the run requests that this makes with these codes, or with those of `instead` by
 * agent.
 */
async function answerRequests(
  at: number,
  codes: Readonly<Record<number, number>>,
  instead: (agentNo: number) => number | undefined = () => undefined,
) {
  await fixture.decide(at);
  for (const [device, code] of Object.entries(codes)) {
    const open = (await fixture.runRequests(Number(device))).filter(
      ({ state, kind }) => state === 'Open' && kind === 'Now',
    );
    for (const [k, { run_request_id: runRequestId, agent_no: agent }] of open.entries()) {
      const check = { device: Number(device), agent, at: at + 2 + k };
      await fixture.take([{ ...check, code: instead(agent) ?? code, runRequestId }]);
      await fixture.answer(runRequestId, check);
    }
  }
  await fixture.decide(at + 6);
}

test('one check of a master that is Up serves all dependents that wait, and a good answer sends their alerts', async () => {
  const router = await fixture.device([place]);
  await checks(router, 0, [1]);
  const devices = [await downDevice(100), await downDevice(101), await downDevice(102)];
  for (const device of devices) await fixture.behind(device, router);
  await fixture.decide(110);
  expect(await fixture.runRequests(router)).toHaveLength(1);
  await answerRequests(111, { [router]: 1 });
  for (const device of devices) {
    await fixture.decide(120);
    expect(await fixture.messages(device)).toEqual(['device.down']);
  }
});

test('a master that nobody answers for does not hold an alert longer than its Timeout and 5 s', async () => {
  const router = await fixture.device([place]);
  const device = await downDevice(200);
  await fixture.behind(device, router);
  await fixture.decide(210);
  await fixture.decide(224);
  expect(await fixture.messages(device)).toEqual([]);
  await fixture.decide(226);
  expect(await fixture.messages(device)).toEqual(['device.down']);
  expect(await fixture.alerts(device)).toMatchObject([{ reason: expect.stringContaining('not verified') }]);
});

test('an outage within maintenance notifies nobody; one that outlasts it alerts at the end of the window and begins there', async () => {
  const device = await fixture.device([place]);
  await checks(device, 0, [1]);
  const { kysely, recordEvents, accountNo } = fixture;
  const deps = { kysely, recordEvents };
  const about = { deviceNo: device, accountNo };
  await startMaintenance(deps, { ...about, durationUs: 600 * second, nowUs: startUs + 5 * second });
  await checks(device, 10, [3, 3, 3]);
  await fixture.decide(20);
  expect(await types(device)).toEqual(['AlertSuppressed']);
  await stopMaintenance(deps, { ...about, nowUs: startUs + 60 * second });
  await fixture.decide(61);
  expect(await fixture.messages(device)).toEqual(['device.down']);
  expect(await fixture.alerts(device)).toMatchObject([{ since_us: startUs + 60 * second, reason: null }]);
});

test('an outage that was alerted before a maintenance began keeps its begin, also when the window is over', async () => {
  const device = await downDevice();
  await fixture.decide(20);
  const [before] = await fixture.alerts(device);
  const { kysely, recordEvents, accountNo } = fixture;
  const deps = { kysely, recordEvents };
  const about = { deviceNo: device, accountNo };
  await startMaintenance(deps, { ...about, durationUs: 600 * second, nowUs: startUs + 100 * second });
  await fixture.decide(110);
  await stopMaintenance(deps, { ...about, nowUs: startUs + 160 * second });
  await fixture.decide(161);
  expect(await fixture.alerts(device)).toMatchObject([{ since_us: before?.since_us, closed_us: null }]);
  expect(await fixture.messages(device)).toEqual(['device.down']);
});

test('an alert of a deleted device closes', async () => {
  const device = await downDevice();
  await fixture.decide(20);
  await fixture.kysely.deleteFrom('devices').where('device_no', '=', device).execute();
  await fixture.decide(60);
  expect(await fixture.alerts(device)).toMatchObject([{ closed_us: startUs + 60 * second, due_us: null }]);
  expect(await fixture.messages(device)).toEqual(['device.down']);
});

test('late results that end with a device that is not Up alert after a live check fails too', async () => {
  const device = await fixture.device([place]);
  await fixture.take(
    [1, 3, 3, 3].map((code, k) => ({
      device,
      agent: place.agentNo,
      at: 10 + 2 * k,
      code,
      attempt: Math.max(0, k - 1),
      arrives: 500,
    })),
  );
  await fixture.decide(501);
  expect(await fixture.messages(device)).toEqual([]);
  await answerRequests(502, { [device]: 3 });
  await fixture.decide(510);
  expect(await fixture.messages(device)).toEqual(['device.down']);
  expect(await fixture.alerts(device)).toMatchObject([{ since_us: startUs + 13 * second }]);
});

test('a past outage that late results bring notifies nobody; one summary names it', async () => {
  const device = await fixture.device([place]);
  await checks(device, 0, [1]);
  await fixture.cut(place.agentNo, 5);
  await fixture.take(
    [3, 3, 3, 1].map((code, k) => ({
      device,
      agent: place.agentNo,
      at: 10 + 2 * k,
      code,
      attempt: k < 3 ? k : 0,
      arrives: 500,
    })),
  );
  await fixture.decide(501);
  expect(await fixture.messages(device)).toEqual([]);
  expect(await types(device)).toEqual(['AlertSuppressed']);
  await fixture.decide(562);
  expect(await fixture.messages(null)).toEqual(['late.summary']);
});

test('an alert that waits for a check of its master is due after the deadline of that check, and not before', async () => {
  const paris = await fixture.location('Paris');
  const [router, device] = [await fixture.device([paris]), await fixture.device([paris])];
  await fixture.behind(device, router);
  const take = (about: number, at: number, code: number, attempt = 0) =>
    fixture.take([{ device: about, agent: paris.agentNo, at, code, attempt }]);
  await take(router, 250, 1);
  await take(device, 250, 1);
  for (const attempt of [0, 1, 2]) await take(device, 300 + attempt * 2, 3, attempt);
  await fixture.decide(310);
  const [alert] = await fixture.alerts(device);
  const { rows } = await sql<{ due: number }>`
    select deadline_us + 1 as due from run_requests where device_no = ${router}`.execute(fixture.kysely);
  expect(rows).toEqual([{ due: alert?.due_us }]);
});
