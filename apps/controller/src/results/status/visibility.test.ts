import { statusSql } from '@vantage/storage/device-status';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uptimes } from './device-uptime.ts';
import { endMaintenance } from './maintenance-status.ts';
import { startMaintenance, stopMaintenance } from './manual-maintenance.ts';
import { createScenario, second, startUs } from './testing/scenario.ts';
import { trueTimes } from './times.ts';
import { setOffline, updateVisibility } from './visibility.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;

beforeAll(async () => {
  scene = await createScenario();
});
afterAll(() => scene[Symbol.asyncDispose]());

const at = (s: number) => startUs + s * second;

async function shown(device: number, nowUs: number) {
  const { status, sinceUs, retrying, joins } = statusSql(nowUs);
  const { rows } = await sql<{ status: string; since: number; retrying: boolean }>`
    select ${status} as status, ${sinceUs} as since, ${retrying} as retrying
    from devices d ${joins} where d.device_no = ${device}`.execute(scene.kysely);
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no device ${device}`);
  return { ...row, since: (row.since - startUs) / second };
}

async function havingStatus(status: 'Up' | 'Down' | 'Maint' | 'Unknown', nowUs: number) {
  const shown = statusSql(nowUs);
  const { rows } = await sql<{ device_no: number }>`
    select d.device_no from devices d ${shown.joins} where ${shown.status} = ${status}`.execute(scene.kysely);
  return rows.map((row) => row.device_no);
}

async function controllerServes(fromS: number, nowS: number) {
  await sql`insert into controllers values ('c', ${at(fromS)}::bigint, ${at(nowS)}::bigint)
    on conflict (controller_id) do update set last_seen_us = excluded.last_seen_us`.execute(scene.kysely);
}

test('a Location whose agents are away for a minute is offline, with one event; when they are back, its devices have their status again', async () => {
  const lone = await scene.location('lone');
  const other = await scene.location('other');
  const alone = await scene.device([lone]);
  const shared = await scene.device([lone, other]);
  for (const device of [alone, shared]) await scene.take([{ device, agent: lone.agentNo, at: 0, code: 1 }]);
  await sql`insert into coverage values (${lone.agentNo}, ${at(0)}, ${at(95)})`.execute(scene.kysely);
  await sql`update agents set last_seen_us = ${at(10_000)} where agent_no = ${other.agentNo}`.execute(
    scene.kysely,
  );
  await scene.cut(lone.agentNo, 100);

  await controllerServes(50, 165);
  expect(await setOffline(scene, at(165))).toEqual([]);
  await controllerServes(50, 175);
  const both = await Promise.all([setOffline(scene, at(175)), setOffline(scene, at(175))]);
  expect(both.flat()).toMatchObject([{ locationNo: lone.locationNo, locationName: 'lone', devices: 1 }]);
  // The Location's event stands for those of all its devices.
  for (const device of [alone, shared])
    expect((await scene.events(device)).map(({ type }) => type)).toEqual(['Up']);
  expect(await scene.events(null)).toMatchObject([
    {
      type: 'LocationOffline',
      at_us: at(95),
      message: 'Location lone is offline, 1 device not checked',
    },
  ]);
  expect(await shown(alone, at(180))).toEqual({ status: 'Unknown', since: 95, retrying: false });
  expect(await shown(shared, at(180))).toMatchObject({ status: 'Up' });

  await sql`update agents set state = 'Connected' where agent_no = ${lone.agentNo}`.execute(scene.kysely);
  expect(await updateVisibility(scene, at(200), other.locationNo)).toEqual([]);
  expect(await updateVisibility(scene, at(200), lone.locationNo)).toHaveLength(1);
  expect((await scene.events(alone)).map(({ type }) => type)).toEqual(['Up']);
  expect((await scene.events(null)).at(-1)).toMatchObject({
    type: 'LocationOnline',
    at_us: at(200),
    duration_s: 105,
    message: 'Location lone is online again',
  });
  expect(await shown(alone, at(210))).toMatchObject({ status: 'Up', since: 200 });
});

test('an outage of the controllers takes no Location offline, because a controller must have served for two minutes', async () => {
  const place = await scene.location('early');
  await scene.cut(place.agentNo, 0);
  await sql`update controllers set started_us = ${at(1000)}, last_seen_us = ${at(1119)}`.execute(
    scene.kysely,
  );
  expect((await setOffline(scene, at(1119))).map((one) => one.locationName)).not.toContain('early');
  await sql`update controllers set last_seen_us = ${at(1121)}`.execute(scene.kysely);
  expect((await setOffline(scene, at(1121))).map((one) => one.locationName)).toContain('early');
});

test('an agent that reports that it cannot run its checks takes its Location offline with its reason', async () => {
  const place = await scene.location('dark');
  await scene.device([place]);
  await sql`update agents set offline_reason = 'uplink dead', last_seen_us = ${at(2000)} where agent_no = ${place.agentNo}`.execute(
    scene.kysely,
  );
  await sql`update controllers set last_seen_us = ${at(2000)}`.execute(scene.kysely);
  await setOffline(scene, at(2000));
  const recorded = (await scene.events(null)).map((event) => event.message);
  expect(recorded).toContain('Location dark is offline (uplink dead), 0 devices not checked');
});

test('a Location whose only agent was moved away is offline a minute later, since its coverage there ended', async () => {
  const [from, to] = [await scene.location('from'), await scene.location('to')];
  const { agentNo } = from;
  const device = await scene.device([from]);
  await scene.take([{ device, agent: agentNo, at: 0, code: 1 }]);
  await sql`update agents set last_seen_us = ${at(4_100)}, location_no = ${to.locationNo} where agent_no = ${agentNo}`.execute(
    scene.kysely,
  );
  await sql`insert into former_locations values (${agentNo}, ${from.locationNo}, 0, ${at(4_000)})`.execute(
    scene.kysely,
  );
  await sql`insert into coverage values (${agentNo}, ${at(3_000)}, ${at(4_100)})`.execute(scene.kysely);
  await sql`update controllers set last_seen_us = ${at(4_061)}`.execute(scene.kysely);
  expect(await setOffline(scene, at(4_059), trueTimes, from.locationNo)).toEqual([]);
  expect(await setOffline(scene, at(4_061), trueTimes, from.locationNo)).toHaveLength(1);
  expect((await scene.events(null)).at(-1)).toMatchObject({
    type: 'LocationOffline',
    at_us: at(4_000),
    message: 'Location from is offline, 1 device not checked',
  });
  // What the agent covered before it came says nothing about its new Location.
  await sql`update agents set state = 'Away', last_seen_us = ${at(3_000)} where location_no = ${to.locationNo}`.execute(
    scene.kysely,
  );
  await sql`update coverage set to_us = ${at(3_900)} where agent_no = ${agentNo}`.execute(scene.kysely);
  expect(await setOffline(scene, at(4_062), trueTimes, to.locationNo)).toHaveLength(1);
  expect(await scene.events(null)).toContainEqual(
    expect.objectContaining({ at_us: at(3_000), message: 'Location to is offline, 0 devices not checked' }),
  );
});

test('a Location whose only agent was revoked is offline a minute after it was last connected, like one whose agent is away', async () => {
  const { agentNo, locationNo } = await scene.location('revoked');
  await sql`update agents set state = 'Revoked', last_seen_us = ${at(5_000)} where agent_no = ${agentNo}`.execute(
    scene.kysely,
  );
  await sql`insert into coverage values (${agentNo}, ${at(4_500)}, ${at(4_990)})`.execute(scene.kysely);
  await sql`update controllers set last_seen_us = ${at(5_061)}`.execute(scene.kysely);
  expect(await setOffline(scene, at(5_059), trueTimes, locationNo)).toEqual([]);
  expect(await setOffline(scene, at(5_061), trueTimes, locationNo)).toHaveLength(1);
  expect(await scene.events(null)).toContainEqual(
    expect.objectContaining({
      at_us: at(4_990),
      message: 'Location revoked is offline, 0 devices not checked',
    }),
  );
});

test('maintenance starts, gets a new end, and its end is recorded once however many controllers end it', async () => {
  const place = await scene.location('m');
  const device = await scene.device([place]);
  await scene.take([{ device, agent: place.agentNo, at: 0, code: 1 }]);
  const request = { deviceNo: device, accountNo: scene.accountNo };
  await startMaintenance(scene, { ...request, nowUs: at(60), durationUs: 600 * second });
  await startMaintenance(scene, { ...request, nowUs: at(120), durationUs: 60 * second });
  expect(await shown(device, at(130))).toMatchObject({ status: 'Maint', since: 60 });
  expect(await havingStatus('Maint', at(130))).toEqual([device]);
  expect(await havingStatus('Up', at(130))).not.toContain(device);
  expect(await endMaintenance(scene, at(179))).toBe(0);
  const ended = await Promise.all([1, 2, 3].map(() => endMaintenance(scene, at(181))));
  expect(ended.reduce((a, b) => a + b, 0)).toBe(1);
  expect((await scene.events(device)).map((event) => event.type)).toEqual([
    'Up',
    'MaintStart',
    'MaintStart',
    'MaintEnd',
  ]);
  expect((await scene.events(device)).at(-1)).toMatchObject({
    at_us: at(180),
    duration_s: 120,
    status: 'Up',
  });
  expect(await shown(device, at(190))).toMatchObject({ status: 'Up', since: 180 });
  await startMaintenance(scene, { ...request, nowUs: at(300), durationUs: 600 * second });
  expect(await stopMaintenance(scene, { ...request, nowUs: at(310) })).toBe(1);
  expect(await stopMaintenance(scene, { ...request, nowUs: at(311) })).toBe(0);
});

test('a state lasts as long as it was shown: a window that ends begins it anew, for events too', async () => {
  const place = await scene.location('shown');
  const device = await scene.device([place]);
  const base = { device, agent: place.agentNo };
  const request = { deviceNo: device, accountNo: scene.accountNo };
  await scene.take([{ ...base, at: 9, code: 1 }]);
  await startMaintenance(scene, { ...request, nowUs: at(40), durationUs: 600 * second });
  await stopMaintenance(scene, { ...request, nowUs: at(100) });
  for (const [k, s] of [150, 152, 154].entries()) await scene.take([{ ...base, at: s, code: 3, attempt: k }]);
  await startMaintenance(scene, { ...request, nowUs: at(200), durationUs: 600 * second });
  await stopMaintenance(scene, { ...request, nowUs: at(230) });
  await scene.take([{ ...base, at: 259, code: 1 }]);
  const recorded = (await scene.events(device)).map(({ type, status, duration_s }) => [
    type,
    status,
    duration_s,
  ]);
  expect(recorded).toEqual([
    ['Up', 'Up', 10],
    ['MaintStart', 'Maint', 30],
    ['MaintEnd', 'Up', 60],
    ['Error', 'Up', null],
    ['Down', 'Down', 51],
    ['MaintStart', 'Maint', 49],
    ['MaintEnd', 'Down', 30],
    ['Up', 'Up', 30],
  ]);
});

test('maintenance that ends without coverage ends in Unknown', async () => {
  const place = await scene.location('unseen');
  const device = await scene.device([place]);
  await scene.take([{ device, agent: place.agentNo, at: 9, code: 1 }]);
  await sql`update locations set online = false, offline_since_us = ${at(20)} where location_no = ${place.locationNo}`.execute(
    scene.kysely,
  );
  const request = { deviceNo: device, accountNo: scene.accountNo };
  await startMaintenance(scene, { ...request, nowUs: at(40), durationUs: 60 * second });
  await endMaintenance(scene, at(101));
  expect((await scene.events(device)).at(-1)).toMatchObject({ type: 'MaintEnd', status: 'Unknown' });
});

test('uptime joins intervals, coverage within assignment, and maintenance; a connected agent covers up to now', async () => {
  const place = await scene.location('u');
  const device = await scene.device([place]);
  const base = { device, agent: place.agentNo };
  await scene.take([{ ...base, at: 9, code: 1 }]);
  for (const [k, s] of [60, 62, 64].entries()) await scene.take([{ ...base, at: s, code: 3, attempt: k }]);
  await scene.take([{ ...base, at: 119, code: 1 }]);
  await sql`insert into coverage values (${place.agentNo}, ${at(-100)}, ${at(150)}), (${place.agentNo}, ${at(170)}, ${at(290)})`.execute(
    scene.kysely,
  );
  await startMaintenance(scene, {
    deviceNo: device,
    accountNo: scene.accountNo,
    nowUs: at(200),
    durationUs: 60 * second,
  });
  const uptime = async (fromUs: number, toUs: number) => {
    const devices = [{ deviceNo: device, createdUs: startUs, fromUs }];
    return (await uptimes(scene.kysely, { devices, toUs, nowUs: at(300) })).get(device);
  };
  expect(await uptime(at(-10), at(999))).toEqual({
    ExcludedSeconds: 0,
    ExcludedOutages: 0,
    UpSeconds: 51 + 30 + 30 + 40,
    DownSeconds: 59,
    MaintenanceSeconds: 60,
    UnknownSeconds: 10 + 10 + 20,
    Outages: 1,
  });
  expect(await uptime(at(100), at(110))).toMatchObject({
    DownSeconds: 10,
    Outages: 1,
  });
});

test('an error not yet confirmed is no status', async () => {
  const place = await scene.location('r');
  const device = await scene.device([place]);
  expect(await shown(device, at(0))).toEqual({ status: 'Unknown', since: 0, retrying: false });
  await scene.take([{ device, agent: place.agentNo, at: 0, code: 1 }]);
  await scene.take([{ device, agent: place.agentNo, at: 60, code: 3 }]);
  expect(await shown(device, at(62))).toEqual({ status: 'Up', since: 1, retrying: true });
});
