import { newId } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../src/results/events/record-events.ts';
import { createRestHealth, uptimes } from '../src/results/status/index.ts';
import { beginMaintenance, endMaintenance } from '../src/results/status/maintenance-status.ts';
import { refreshScheduledWindows } from '../src/results/status/scheduled-windows.ts';
import { codeOf } from '../src/testing/batch.ts';
import { createRestFixture, type RestFixture } from '../src/testing/rest-fixture.ts';

const second = 1_000_000;
const idIn = (json: unknown, name: string) => z.record(z.string(), z.string()).parse(json)[name] ?? '';

let rest: RestFixture;
let key: string;
let accountNo: number;
beforeAll(async () => {
  rest = await createRestFixture({
    health: (_, clock) => createRestHealth({ recordEvents, clock }),
  });
  ({ accountNo } = await rest.account('parallel'));
  ({ key } = await rest.key(accountNo, 'UW'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const send = (method: string, path: string, body?: object) =>
  rest.send(method, path, { key, ...(body === undefined ? {} : { body }) });

/** One round of the jobs of health. */
async function round(nowUs: number, deviceNo: number): Promise<void> {
  const deps = { kysely: rest.db.kysely, recordEvents };
  await refreshScheduledWindows(deps.kysely, nowUs, deviceNo);
  await beginMaintenance(deps, nowUs, deviceNo);
  await endMaintenance(deps, nowUs, deviceNo);
}

/** A device with a maintenance schedule whose first window begins in this minute. */
async function scheduledDevice() {
  const start = new Date(rest.clock.nowUs() / 1000).toISOString().slice(0, 16);
  const schedule = { Name: newId(), Start: start, Duration: '00:20', Recurrence: 'FREQ=DAILY' };
  const mscheduleId = idIn((await send('POST', '/mschedules', schedule)).json, 'mschedule_id');
  const device = { Method: 'TCP', URL: 'a.example:1', ShortName: 'web', mschedule_id: mscheduleId };
  const deviceId = idIn((await send('POST', '/devices', device)).json, 'device_id');
  const { device_no: deviceNo, createdUs } = await rest.db.kysely
    .selectFrom('devices')
    .select(['device_no', 'created_us as createdUs'])
    .where('device_id', '=', deviceId)
    .executeTakeFirstOrThrow();
  await round(rest.clock.nowUs(), deviceNo);
  return { mscheduleId, deviceId, deviceNo, createdUs };
}

type Fixture = Awaited<ReturnType<typeof scheduledDevice>>;
const begin = '/start-maintenance';

/** Resolves with the code of the answer. */
const actions = {
  start: ({ deviceId }: Fixture) => send('PUT', `/devices/${deviceId}${begin}`, { Duration: '00:05' }),
  startLonger: ({ deviceId }: Fixture) => send('PUT', `/devices/${deviceId}${begin}`, { Duration: '00:45' }),
  stop: ({ deviceId }: Fixture) => send('PUT', `/devices/${deviceId}/stop-maintenance`),
  rename: ({ deviceId }: Fixture) => send('PUT', `/devices/${deviceId}`, { ShortName: 'other' }),
  unassign: ({ deviceId }: Fixture) => send('PUT', `/devices/${deviceId}`, { mschedule_id: null }),
  pause: ({ deviceId }: Fixture) => send('PUT', `/devices/${deviceId}`, { Enabled: false }),
  shorten: ({ mscheduleId }: Fixture) => send('PUT', `/mschedules/${mscheduleId}`, { Duration: '00:01' }),
  delete: ({ deviceId }: Fixture) => send('DELETE', `/devices/${deviceId}`),
  async round({ deviceNo }: Fixture) {
    await round(rest.clock.nowUs(), deviceNo);
    return { status: 200, json: {} };
  },
} satisfies Record<
  string,
  (fixture: Fixture) => Promise<{ readonly status: number; readonly json: unknown }>
>;

const actionNames = z.enum(Object.keys(actions) as (keyof typeof actions)[]).options;

test('starts, stops, PUT and DELETE of a device and of its schedule at one moment: every answer is a decision, and the seconds are exact', async () => {
  const some = fc.array(fc.constantFrom(...actionNames), { minLength: 2, maxLength: 7 });
  const property = fc.asyncProperty(some, async (names) => {
    const fixture = await scheduledDevice();
    await rest.clock.advance(61_000);
    const answers = await Promise.all(names.map((name) => actions[name](fixture)));
    const codes = answers.map(({ json }) => codeOf(json));
    const isDeleted = names.includes('delete');
    expect([200, ...(isDeleted ? [1003] : [])]).toEqual(expect.arrayContaining(codes));
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
    await rest.clock.advance(7_200_000);
    await round(rest.clock.nowUs(), fixture.deviceNo);
    if (isDeleted) await expectNothingLeft(fixture);
    else await expectExact(fixture);
  });
  await fc.assert(property, { numRuns: propertyRuns(12) });
}, 300_000);

async function expectNothingLeft({ deviceNo, deviceId }: Fixture): Promise<void> {
  expect(codeOf((await send('GET', `/devices/${deviceId}`)).json)).toBe(1003);
  const { rows } = await sql`
    select 1 from maintenance_windows where device_no = ${deviceNo} union all
    select 1 from device_state where device_no = ${deviceNo}`.execute(rest.db.kysely);
  expect(rows).toEqual([]);
}

/** The maintenance time is the union of the windows, the parts of the uptime add up, and every begin has its end. */
async function expectExact({ deviceNo, createdUs }: Fixture): Promise<void> {
  const nowUs = rest.clock.nowUs();
  const { rows: windows } = await sql<{ from_us: number; to_us: number }>`
    select from_us, to_us from maintenance_windows where device_no = ${deviceNo} and from_us < ${nowUs}`.execute(
    rest.db.kysely,
  );
  const covered = new Set<number>();
  for (const { from_us, to_us } of windows)
    for (let us = from_us; us < Math.min(to_us, nowUs); us += second) covered.add(Math.floor(us / second));
  const devices = [{ deviceNo, createdUs, fromUs: createdUs }];
  const uptime = (await uptimes(rest.db.kysely, { devices, toUs: nowUs, nowUs })).get(deviceNo);
  const { UpSeconds = 0, DownSeconds = 0, MaintenanceSeconds = 0, UnknownSeconds = 0 } = uptime ?? {};
  expect(MaintenanceSeconds).toBe(covered.size);
  expect(UpSeconds + DownSeconds + MaintenanceSeconds + UnknownSeconds).toBe((nowUs - createdUs) / second);
  const { rows: events } = await sql<{ type: string; message: string }>`
    select type, message from events where device_no = ${deviceNo}`.execute(rest.db.kysely);
  const begins = events.filter(
    ({ type, message }) => type === 'MaintStart' && !message.includes('continues'),
  );
  expect(begins).toHaveLength(events.filter(({ type }) => type === 'MaintEnd').length);
}
