import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { second, startUs } from '../../results/status/testing/scenario.ts';
import { nearbyFact } from './surroundings.ts';
import { createAlertFixture } from './testing/alert-fixture.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let oslo: { locationNo: number; agentNo: number };
let rome: { locationNo: number; agentNo: number };

beforeAll(async () => {
  fixture = await createAlertFixture();
  oslo = await fixture.location('Oslo');
  rome = await fixture.location('Rome');
  await fixture.everybody({ RepeatMinutes: 5 });
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** A device that was Up and is Down since `from` + 1 s: its Locations fail in turn. */
async function downDevice(from: number, places = [oslo, rome], master?: number, failing = places) {
  const device = await fixture.device(places);
  if (master !== undefined) await fixture.behind(device, master);
  for (const { agentNo } of places)
    await fixture.take([{ device, agent: agentNo, at: from - 10, code: 1, attempt: 0 }]);
  for (const attempt of [0, 1, 2]) {
    const agent = failing[attempt % failing.length]?.agentNo ?? oslo.agentNo;
    await fixture.take([{ device, agent, at: from + 2 * attempt, code: 3, attempt }]);
  }
  return device;
}

async function dataOf(device: number, kind: string): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await sql<{ data: Record<string, unknown> }>`
    select n.data from notifications n join alerts a using (alert_no)
    where a.device_no = ${device} and n.kind = ${kind} order by n.notification_no`.execute(fixture.kysely);
  return rows.map(({ data }) => data);
}

async function nameOf(device: number): Promise<string> {
  const { short_name } = await fixture.kysely
    .selectFrom('devices')
    .select('short_name')
    .where('device_no', '=', device)
    .executeTakeFirstOrThrow();
  return short_name;
}

test('a message of Down names the Locations that fail; results from before the outage say nothing', async () => {
  const london = await fixture.location('London');
  const device = await downDevice(100, [oslo, rome, london], undefined, [oslo, rome]);
  await fixture.decide(110);
  const [data] = await dataOf(device, 'device.down');
  expect(data).toMatchObject({ FailingLocations: ['Oslo', 'Rome'], AlertKind: 'device.down' });
  expect(data).not.toHaveProperty('GoodLocations');
  expect(data).not.toHaveProperty('Number');
  expect(data).not.toHaveProperty('Behind');
});

test('a message of Partial names where the device fails and where it works', async () => {
  const device = await fixture.device([oslo, rome]);
  const at = (from: number, code: number, { agentNo }: { agentNo: number }, attempt = 0) =>
    fixture.take([{ device, agent: agentNo, at: from, code, attempt }]);
  await at(1_000, 1, oslo);
  for (const from of [1_010, 1_020, 1_030]) {
    await at(from, 3, oslo);
    await at(from + 2, 1, rome, 1);
  }
  await fixture.decide(1_040);
  const [data] = await dataOf(device, 'device.partial');
  expect(data).toMatchObject({ Status: 'Up', FailingLocations: ['Oslo'], GoodLocations: ['Rome'] });
});

test('a repeat says which message it is, and the end has the begin of the alert and who acknowledged', async () => {
  const device = await downDevice(2_000, [oslo]);
  for (const at of [2_010, 2_320, 2_630]) await fixture.decide(at);
  const all = await dataOf(device, 'device.down');
  expect(all.map(({ Number: number }) => number)).toEqual([undefined, 2, 3]);
  await sql`update alerts set acknowledged_us = 1, acknowledged_by = 'Ada', due_us = 0 where device_no = ${device}`.execute(
    fixture.kysely,
  );
  await fixture.take([{ device, agent: oslo.agentNo, at: 2_700, code: 1, attempt: 0 }]);
  await fixture.decide(2_701);
  const [up] = await dataOf(device, 'device.up');
  expect(up).toMatchObject({
    Began: all[0]?.['Since'],
    Cause: all[0]?.['CheckResult'],
    AcknowledgedBy: 'Ada',
  });
  expect(up).not.toHaveProperty('FailingLocations');
});

test("a master's message counts the devices behind it, and names those that fail and send nothing", async () => {
  const master = await downDevice(3_000, [oslo]);
  const switchNo = await fixture.device([oslo]);
  await fixture.behind(switchNo, master);
  const failing = await downDevice(3_001, [oslo], switchNo);
  const paused = await fixture.device([oslo]);
  await fixture.behind(paused, master);
  await fixture.kysely
    .updateTable('devices')
    .set({ enabled: false })
    .where('device_no', '=', paused)
    .execute();
  await fixture.decide(3_010);
  await fixture.decide(3_315);
  const [first, second] = await dataOf(master, 'device.down');
  expect(first).toMatchObject({ Behind: { Count: 2, Suppressed: 1, Names: [await nameOf(failing)] } });
  expect(second).toMatchObject({ Number: 2, Behind: { Count: 2, Suppressed: 1 } });
});

test('devices that fell in the same minute are counted, and the trace at the failure is in the message', async () => {
  const devices = await Promise.all([4_000, 4_010, 4_040, 4_130].map((from) => downDevice(from, [rome])));
  const [first = 0, second = 0] = devices;
  const hops = [{ Address: '192.0.2.1' }, { Address: null }];
  for (const device of [first, second])
    await sql`update check_rows set extended = jsonb_build_object('Traceroute', ${JSON.stringify({ Hops: hops, Reached: false })}::jsonb)
      where device_no = ${device} and code = 3 and start_us = (
        select min(start_us) from check_rows where device_no = ${device} and code = 3)`.execute(
      fixture.kysely,
    );
  await fixture.decide(4_140);
  const [data] = await dataOf(first, 'device.down');
  expect(data).toMatchObject({
    Nearby: [
      { Count: 2, What: 'Location', Name: 'Rome' },
      { Count: 1, What: 'hop', Name: '192.0.2.1' },
    ],
    Trace: { Hops: 2, LastHop: '192.0.2.1', Reached: false, Path: ['192.0.2.1', null], Location: 'Rome' },
  });
});

test('a message of an offline Location has what its agent was heard to say last', async () => {
  const turin = await fixture.location('Turin');
  await sql`update agents set last_seen_us = ${startUs + 5_000 * second}, leaving_since_us = ${startUs}
    where agent_no = ${turin.agentNo}`.execute(fixture.kysely);
  const { accountNo } = fixture;
  const cause = { kind: 'location-offline' as const, accountNo, locationNo: turin.locationNo };
  const facts = { locationName: 'Turin', sinceUs: startUs + 5_000 * second, reason: null, devices: 3 };
  await fixture.kysely
    .transaction()
    .execute((trx) => fixture.recordEvents(trx, [{ ...cause, ...facts }], startUs + 5_060 * second));
  await fixture.decide(5_061);
  const { rows } = await sql<{ data: unknown }>`
    select data from notifications where kind = 'location.offline'`.execute(fixture.kysely);
  expect(rows).toMatchObject([
    {
      data: {
        Devices: 3,
        LastHeard: { At: startUs + 5_000 * second, Left: true, Agent: expect.any(String) },
      },
    },
  ]);
});

test('a mass outage asks no more statements than one device', async () => {
  const statements = async (devices: number, from: number) => {
    for (let n = 0; n < devices; n += 1) await downDevice(from, [oslo]);
    let count = 0;
    const counted = fixture.kysely.withPlugin({
      transformQuery: ({ node }) => {
        count += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await fixture.decideBy(counted, from + 10);
    return count;
  };
  const one = await statements(1, 6_000);
  expect(one).toBeGreaterThan(6);
  expect(await statements(40, 7_000)).toBe(one);
});

test.each([
  ['at another Location', { locationNo: 2 }, 0],
  ['a minute later', { second: 160 }, 0],
  ['59 s later', { second: 159 }, 3],
  ['of another account', { accountNo: 2 }, 0],
  ['behind the same master', { locationNo: 2, masterNo: 7, master: 'gw' }, 3],
])('others that fell %s count: %j', (_, more, others) => {
  const own = { accountNo: 1, second: 100, locationNo: 1, location: 'Oslo', masterNo: null, master: null };
  const device = {
    accountNo: 1,
    locationNo: 1,
    masterNo: 'masterNo' in more ? 7 : null,
    sinceUs: 100_000_000,
  };
  const isMaster = 'masterNo' in more;
  const fell = [
    { ...own, count: 1, ...(isMaster ? { masterNo: 7, master: 'gw' } : {}) },
    { ...own, ...more, count: 3 },
  ];
  const found = isMaster
    ? [{ Count: 3, What: 'master', Name: 'gw' }]
    : [{ Count: 3, What: 'Location', Name: 'Oslo' }];
  expect(nearbyFact(device, fell)).toEqual(others === 0 ? {} : { Nearby: found });
});

test('devices behind a device are counted over eight levels', async () => {
  const master = await downDevice(9_000, [oslo]);
  let above = master;
  for (let level = 1; level <= 10; level += 1) {
    const device = await fixture.device([oslo]);
    await fixture.behind(device, above);
    above = device;
  }
  await fixture.decide(9_010);
  const [data] = await dataOf(master, 'device.down');
  expect(data).toMatchObject({ Behind: { Count: 8, Suppressed: 0 } });
});
