import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../results/events/record-events.ts';
import { createRestHealth } from '../../results/status/index.ts';
import { refreshScheduledWindows } from '../../results/status/scheduled-windows.ts';
import { type AccountApi, addAccount } from '../../testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

const maintenances = z.array(
  z.object({
    maintenance_id: z.string(),
    Source: z.string(),
    mschedule_id: z.string().nullable(),
    Start: z.string(),
    End: z.string(),
    Reason: z.string().nullable(),
    By: z.string().nullable(),
    Devices: z.array(z.string()),
    DeviceCount: z.int(),
  }),
);
const shownDevice = z.object({
  Status: z.string(),
  Maintenance: z.array(z.object({ maintenance_id: z.string(), Source: z.string(), Start: z.string() })),
});

let rest: RestFixture;
let api: AccountApi;
let accounts = 0;
beforeAll(async () => {
  rest = await createRestFixture({
    health: (_, clock) => createRestHealth({ recordEvents, clock }),
  });
});
afterAll(() => rest[Symbol.asyncDispose]());
beforeEach(async () => {
  accounts += 1;
  api = await addAccount(rest, `maintenance ${accounts}`);
});

const hour = 3_600_000_000;
const tcp = (ShortName: string, more: object = {}) => ({
  Method: 'TCP',
  URL: 'a.example:1',
  ShortName,
  ...more,
});
const list = async (query = '') => maintenances.parse((await api.send('GET', `/maintenance${query}`)).json);
const device = async (id: string) => shownDevice.parse((await api.send('GET', `/devices/${id}`)).json);
const at = (us: number) => `${new Date(us / 1000).toISOString().slice(0, 19)}+00:00`;
const events = async () =>
  z
    .array(z.object({ Type: z.string() }))
    .parse((await api.send('GET', '/events')).json)
    .map(({ Type }) => Type)
    .filter((type) => type.startsWith('Maint'));
const audit = async () =>
  z
    .array(
      z.object({
        Action: z.string(),
        Kind: z.string(),
        Id: z.string(),
        Changes: z.array(z.object({ Field: z.string(), New: z.unknown() })),
      }),
    )
    .parse((await api.send('GET', '/audit?Limit=3')).json);

test('a request for a tag is one maintenance of all its devices, with who asked and why; its end leaves other maintenance', async () => {
  const Tags = ['rack'];
  const [tag] = [await api.create('/tags', { Name: 'rack' })];
  const ids = [
    await api.create('/devices', tcp('one', { Tags })),
    await api.create('/devices', tcp('two', { Tags })),
  ];
  const nowUs = rest.clock.nowUs();
  await api.send('PUT', `/tags/${tag}/start-maintenance`, { Duration: '02:00', Reason: 'new disks' });
  const [found, ...more] = await list();
  expect(more).toEqual([]);
  expect(found).toMatchObject({
    Source: 'Manual',
    mschedule_id: null,
    Start: at(nowUs),
    End: at(nowUs + 2 * hour),
    Reason: 'new disks',
    Devices: ids,
    DeviceCount: 2,
  });
  const id = found?.maintenance_id ?? '';
  const [started] = await audit();
  expect(started).toMatchObject({ Action: 'Update', Kind: 'tag', Id: tag });
  expect(started?.Changes[0]).toMatchObject({
    Field: 'Maintenance',
    New: { maintenance_id: id, Reason: 'new disks' },
  });
  expect(await device(ids[0] ?? '')).toMatchObject({
    Status: 'Maint',
    Maintenance: [{ maintenance_id: id }],
  });

  // One of them is in scheduled maintenance as well, which goes on.
  const start = new Date(nowUs / 1000 - 60_000).toISOString().slice(0, 16);
  const mschedule = await api.create('/mschedules', {
    Name: 'now',
    Start: start,
    Duration: '01:00',
    Timezone: 'UTC',
  });
  await api.send('PUT', `/devices/${ids[1]}`, { mschedule_id: mschedule });
  await refreshScheduledWindows(rest.db.kysely, nowUs);
  expect((await list()).map(({ Source, DeviceCount }) => [Source, DeviceCount])).toEqual([
    ['Manual', 2],
    ['Schedule', 1],
  ]);
  expect((await list(`?Device=${ids[0]}`)).map(({ Source, Devices }) => [Source, Devices])).toEqual([
    ['Manual', [ids[0]]],
  ]);
  const before = (await events()).length;
  expect((await api.send('DELETE', `/maintenance/${id}`)).json).toEqual({ maintenance_id: id });
  expect([(await device(ids[0] ?? '')).Status, (await device(ids[1] ?? '')).Status]).toEqual([
    'Unknown',
    'Maint',
  ]);
  // The other device is in maintenance still, so it has no event.
  expect((await events()).slice(0, -before)).toEqual(['MaintEnd']);
  expect((await audit())[0]).toMatchObject({ Action: 'Delete', Kind: 'maintenance', Id: id });
  expect((await list()).map(({ Source }) => Source)).toEqual(['Schedule']);
  expect((await api.send('DELETE', `/maintenance/${id}`)).json).toMatchObject({ code: 1003 });
});

test('what is planned is listed, cancelled, and then never begins', async () => {
  const id = await api.create('/devices', tcp('one'));
  const startUs = rest.clock.nowUs() + 5 * hour;
  await api.send('PUT', `/devices/${id}/start-maintenance`, { Duration: '01:00', Start: at(startUs) });
  const [planned] = await list();
  expect(planned).toMatchObject({
    Source: 'Manual',
    Start: at(startUs),
    End: at(startUs + hour),
    Devices: [id],
  });
  expect((await api.send('GET', `/maintenance/${planned?.maintenance_id}`)).json).toEqual(planned);
  await api.send('DELETE', `/maintenance/${planned?.maintenance_id}`);
  expect(await list()).toEqual([]);
  expect(await device(id)).toMatchObject({ Status: 'Unknown', Maintenance: [] });
  expect(await events()).toEqual([]);
});

test('an occurrence of a schedule is cancelled for its devices of now and of later, the others stay', async () => {
  const first = new Date(rest.clock.nowUs() / 1000 + 3_600_000).toISOString().slice(0, 16);
  const daily = { Name: 'daily', Start: first, Duration: '01:00', Recurrence: 'FREQ=DAILY', Timezone: 'UTC' };
  const mschedule_id = await api.create('/mschedules', daily);
  expect(await list()).toEqual([]); // No device has it.
  const one = await api.create('/devices', tcp('one', { mschedule_id }));
  await refreshScheduledWindows(rest.db.kysely, rest.clock.nowUs());
  const days = await list('?Limit=100');
  expect(days.length).toBe(62);
  const starts = (rows: typeof days) => rows.slice(0, 3).map(({ Start }) => Start.slice(0, 16));
  const day = (n: number) => new Date(Date.parse(`${first}Z`) + n * 86_400_000).toISOString().slice(0, 16);
  expect(starts(days)).toEqual([day(0), day(1), day(2)]);
  // Today's has its window already, that of the day after tomorrow not yet.
  for (const n of [0, 2])
    expect((await api.send('DELETE', `/maintenance/${days[n]?.maintenance_id}`)).status).toBe(200);
  const two = await api.create('/devices', tcp('two', { mschedule_id }));
  await refreshScheduledWindows(rest.db.kysely, rest.clock.nowUs());
  const left = await list();
  expect(starts(left)).toEqual([day(1), day(3), day(4)]);
  expect(left[0]).toMatchObject({ Source: 'Schedule', mschedule_id, Devices: [one, two], By: null });
  expect((await device(two)).Maintenance.slice(0, 2).map(({ Start }) => Start.slice(0, 16))).toEqual([
    day(1),
    day(3),
  ]);
  // The windows that are stored agree with the list, now and when further ones are made.
  const stored = async () => {
    const rows = await rest.db.kysely
      .selectFrom('maintenance_windows')
      .innerJoin('devices', 'devices.device_no', 'maintenance_windows.device_no')
      .where('devices.device_id', '=', two)
      .select('from_us')
      .orderBy('from_us')
      .execute();
    return rows.map(({ from_us }) => at(from_us).slice(0, 16));
  };
  expect(await stored()).toEqual([day(1)]);
  await refreshScheduledWindows(rest.db.kysely, rest.clock.nowUs() + 48 * hour);
  expect(await stored()).toEqual([day(1), day(3)]);
});

test('another account sees and ends nothing of it; a query that is wrong says so', async () => {
  const id = await api.create('/devices', tcp('one'));
  await api.send('PUT', `/devices/${id}/start-maintenance`, {});
  const [own] = await list();
  const foreign = await addAccount(rest, 'maintenance of a stranger');
  expect((await foreign.send('GET', '/maintenance')).json).toEqual([]);
  expect((await foreign.send('DELETE', `/maintenance/${own?.maintenance_id}`)).json).toMatchObject({
    code: 1003,
  });
  expect((await foreign.send('GET', `/maintenance?Device=${id}`)).json).toMatchObject({ code: 1003 });
  expect(await list()).toEqual([own]);
  expect((await api.send('GET', '/maintenance?Limit=none')).json).toMatchObject({ code: 1004 });
});

test('past maintenance is listed from a moment on, with its devices; what has not begun is cut at the end of the span', async () => {
  const id = await api.create('/devices', tcp('past'));
  const nowUs = rest.clock.nowUs();
  await api.send('PUT', `/devices/${id}/start-maintenance`, { Duration: '01:00', Reason: 'old disks' });
  await rest.clock.advance(2 * 3_600_000);
  expect(await list()).toEqual([]);
  const from = (us: number, more = '') => list(`?Timestamp1=${encodeURIComponent(at(us))}${more}`);
  expect(await from(nowUs)).toMatchObject([
    { Start: at(nowUs), End: at(nowUs + hour), Reason: 'old disks', Devices: [id], DeviceCount: 1 },
  ]);
  // It had ended at this moment.
  expect(await from(nowUs + hour + 1_000_000)).toEqual([]);
  expect(await from(nowUs - hour, `&Timestamp2=${encodeURIComponent(at(nowUs - 1_000_000))}`)).toEqual([]);
  const start = at(nowUs + 30 * hour).slice(0, 19);
  await api.send('PUT', `/devices/${id}/start-maintenance`, { Duration: '01:00', Start: `${start}+00:00` });
  expect((await from(nowUs)).map(({ Reason }) => Reason)).toEqual(['old disks', null]);
  expect(await from(nowUs, `&Timestamp2=${encodeURIComponent(at(nowUs + 20 * hour))}`)).toHaveLength(1);
  const early = await api.send(
    'GET',
    `/maintenance?Timestamp1=${encodeURIComponent(at(nowUs - 63 * 24 * hour))}`,
  );
  expect(early).toMatchObject({ status: 400, json: { code: 1004 } });
});
