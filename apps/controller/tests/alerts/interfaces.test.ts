import { createLog } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runRequests } from '../../src/agents/run-requests/index.ts';
import { createAlertFixture } from '../../src/alerts/decide/testing/alert-fixture.ts';
import { createPauseDevices } from '../../src/results/status/index.ts';
import { second, startUs } from '../../src/results/status/testing/scenario.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let oslo: { locationNo: number; agentNo: number };
let rome: { locationNo: number; agentNo: number };

beforeAll(async () => {
  fixture = await createAlertFixture();
  oslo = await fixture.location('Oslo');
  rome = await fixture.location('Rome');
  await fixture.everybody();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const iso = (at: number) => new Date((startUs + at * second) / 1000).toISOString();

/** The extended data of a check of a switch, as the agent sends it. */
function facts(statuses: Readonly<Record<string, string>>, started = -1_000, more: object = {}) {
  const Interfaces = Object.entries(statuses).map(([Name, Status]) => ({
    Name,
    ...(Status === 'Missing' ? {} : { Alias: `to ${Name}` }),
    Status,
    ...more,
  }));
  return { System: { Name: 'sw', Started: iso(started) }, Interfaces, Requests: 1 };
}

/** A switch whose port is up, checked once at this second. */
async function createSwitch(at: number): Promise<number> {
  const device = await fixture.device([oslo, rome], { method: 'SNMP' });
  await fixture.take([{ device, agent: oslo.agentNo, at, code: 1, facts: facts({ g1: 'Up' }) }]);
  return device;
}

async function eventsOf(device: number, types = /Interface|Restarted/) {
  return (await fixture.events(device)).flatMap(({ type, message }) => (types.test(type) ? [message] : []));
}

test('an interface that goes down opens an alert that names it; the device stays Up; its end ends the alert', async () => {
  const device = await createSwitch(900);
  const check = (at: number, statuses: Readonly<Record<string, string>>) =>
    fixture.take([{ device, agent: oslo.agentNo, at, code: 1, facts: facts(statuses) }]);
  await check(1_000, { g1: 'Up', g2: 'Up' });
  await check(1_060, { g1: 'Down', g2: 'LowerLayerDown' });
  await fixture.decide(1_062);
  await check(1_120, { g1: 'Down', g2: 'Up' });
  await fixture.decide(1_122);
  expect(await eventsOf(device)).toEqual([
    'g1 “to g1” is Down',
    'g2 “to g2” is Down',
    'g2 “to g2” is Up again',
  ]);
  expect(await fixture.messages(device)).toEqual(['interface.down', 'interface.down', 'interface.up']);
  const alerts = await fixture.alerts(device);
  const opening = { Interface: 'g1', Alias: 'to g1', CheckResult: 'g1 “to g1” is Down' };
  expect(alerts).toMatchObject([
    { kind: 'interface.down', since_us: startUs + 1_061 * second, closed_us: null, opening },
    { kind: 'interface.down', closed_us: expect.any(Number), opening: { Interface: 'g2' } },
  ]);
  const { rows } = await sql<{ status: string; since: number; interface: string }>`
    select data->>'Status' as status, (data->>'Since')::float8 as since, data->>'Interface' as interface
    from notifications n join alerts a using (alert_no) where a.device_no = ${device} order by notification_no`.execute(
    fixture.kysely,
  );
  expect(rows).toEqual([
    { status: 'Up', since: startUs + 1_061 * second, interface: 'g1' },
    { status: 'Up', since: startUs + 1_061 * second, interface: 'g2' },
    { status: 'Up', since: startUs + 1_121 * second, interface: 'g2' },
  ]);
  expect((await fixture.state(device))?.status).toBe('Up');
});

test('late results, checks without an answer and unknown statuses say nothing; a missing one is Down at the second', async () => {
  const device = await createSwitch(1_900);
  const good = { device, agent: oslo.agentNo, code: 1 };
  await fixture.take([{ ...good, at: 2_000, facts: facts({ g1: 'Up' }) }]);
  await fixture.take([{ ...good, at: 2_010, arrives: 2_200, facts: facts({ g1: 'Down' }) }]);
  await fixture.take([{ ...good, at: 2_210, code: 2 }]);
  await fixture.take([{ ...good, at: 2_260, facts: facts({ g1: 'Testing' }) }]);
  await fixture.take([{ ...good, at: 2_320, facts: facts({ g1: 'Missing' }) }]);
  expect(await eventsOf(device)).toEqual([]);
  await fixture.take([{ ...good, at: 2_380, facts: facts({ g1: 'Missing' }) }]);
  expect(await eventsOf(device)).toEqual(['g1 is Down: the device no longer has it']);
  await fixture.take([{ ...good, at: 2_440, facts: facts({}) }]);
  expect(await eventsOf(device)).toEqual([
    'g1 is Down: the device no longer has it',
    'g1 is no longer watched',
  ]);
});

test('an interface with DeviceDown has events and no alert besides that of the device', async () => {
  const device = await createSwitch(2_900);
  const down = facts({ g1: 'Down' }, -1_000, { DeviceDown: true });
  await fixture.take([{ device, agent: oslo.agentNo, at: 3_000, code: 7, facts: down }]);
  await fixture.decide(3_010);
  expect(await eventsOf(device)).toEqual(['g1 “to g1” is Down']);
  expect(await fixture.alerts(device)).toEqual([]);
});

test('an interface that is expected Down, or Any, has neither', async () => {
  const device = await createSwitch(3_090);
  for (const Expect of ['Down', 'Any'])
    await fixture.take([
      { device, agent: oslo.agentNo, at: 3_100, code: 1, facts: facts({ g1: 'Down' }, -1_000, { Expect }) },
    ]);
  expect(await eventsOf(device)).toEqual([]);
});

test('a restart is one event, whichever Location sees it first', async () => {
  const device = await createSwitch(3_900);
  const check = (agent: number, at: number, started: number) =>
    fixture.take([{ device, agent, at, code: 1, facts: facts({}, started) }]);
  await check(oslo.agentNo, 4_000, -1_000);
  await check(rome.agentNo, 4_060, -1_001);
  await check(oslo.agentNo, 4_120, 4_090);
  await check(rome.agentNo, 4_180, 4_091);
  await check(oslo.agentNo, 4_240, 4_090);
  expect(await eventsOf(device)).toEqual([`Restarted: running since ${iso(4_090).replace('.000', '')}`]);
});

test('in a maintenance nobody is notified before its end; after a pause an interface that is down is new', async () => {
  const device = await createSwitch(4_900);
  const window = { device_no: device, from_us: startUs + 5_000 * second, to_us: startUs + 6_000 * second };
  await fixture.kysely.insertInto('maintenance_windows').values(window).execute();
  const check = (at: number) =>
    fixture.take([{ device, agent: oslo.agentNo, at, code: 1, facts: facts({ g1: 'Down' }) }]);
  await check(5_100);
  await fixture.decide(5_110);
  expect(await fixture.messages(device)).toEqual([]);
  await fixture.decide(6_100);
  expect(await fixture.messages(device)).toEqual(['interface.down']);
  const pause = createPauseDevices({
    log: createLog('test', 'silent'),
    recordEvents: fixture.recordEvents,
    withdrawRetries: runRequests.withdrawRetries,
  });
  const paused = { accountNo: fixture.accountNo, deviceNo: device, deviceName: 'a' };
  const setEnabled = (enabled: boolean) =>
    fixture.kysely.updateTable('devices').set({ enabled }).where('device_no', '=', device).execute();
  await fixture.kysely.transaction().execute((trx) => pause(trx, [paused], startUs + 6_200 * second));
  await setEnabled(false);
  await fixture.decide(6_300);
  expect(await fixture.alerts(device)).toMatchObject([{ closed_us: expect.any(Number) }]);
  await setEnabled(true);
  await check(6_400);
  await fixture.decide(6_402);
  expect(await fixture.messages(device)).toEqual(['interface.down', 'interface.down']);
});

test('a flapping interface is up again after five good checks, and its message says how often it was down', async () => {
  const device = await createSwitch(6_900);
  const check = (at: number, status: string) =>
    fixture.take([{ device, agent: oslo.agentNo, at, code: 1, facts: facts({ g1: status }) }]);
  const statuses = ['Down', 'Up', 'Down', 'Up', 'Down', 'Up', 'Down', 'Up', 'Up', 'Up', 'Up', 'Up', 'Up'];
  for (const [at, status] of statuses.entries()) await check(7_000 + 60 * at, status);
  expect(await eventsOf(device)).toEqual([
    'g1 “to g1” is Down',
    'g1 “to g1” is Up again',
    'g1 “to g1” is Down',
    'g1 “to g1” is Up again',
    'g1 “to g1” is Down, 3 times within 4 min',
    'g1 “to g1” is Up again',
  ]);
});
