import { newId } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uptimes } from './device-uptime.ts';
import { beginMaintenance, endMaintenance } from './maintenance-status.ts';
import { startMaintenance, stopMaintenance } from './manual-maintenance.ts';
import { refreshScheduledWindows } from './scheduled-windows.ts';
import { createScenario, second, startUs } from './testing/scenario.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
let place: { readonly locationNo: number; readonly agentNo: number };
beforeAll(async () => {
  scene = await createScenario();
  place = await scene.location('here');
});
afterAll(() => scene[Symbol.asyncDispose]());

const minute = 60 * second;
const hour = 60 * minute;
const at = (minutes: number) => startUs + minutes * minute;
const local = (us: number) => new Date(us / 1000).toISOString().slice(0, 16);
/** The scene begins at 22:13:20 UTC; windows begin at whole minutes. */
const evenUs = Math.ceil(startUs / minute) * minute;

/** A schedule in UTC: its first window begins this many minutes after the scene's begin. */
async function schedule(
  inMinutes: number,
  more: { duration_s?: number; recurrence?: string; end_on_first_ok?: boolean } = {},
) {
  const { mschedule_no } = await scene.kysely
    .insertInto('mschedules')
    .values({
      mschedule_id: newId(),
      account_no: scene.accountNo,
      name: 's',
      duration_s: 600,
      start_local: local(evenUs + inMinutes * minute),
      ...more,
    })
    .returning('mschedule_no')
    .executeTakeFirstOrThrow();
  return mschedule_no;
}

const assign = (device: number, mscheduleNo: number | null) =>
  scene.kysely
    .updateTable('devices')
    .set({ mschedule_no: mscheduleNo })
    .where('device_no', '=', device)
    .execute();

/** The windows of a device in minutes after the first whole minute of the scene. */
async function windows(device: number) {
  const rows = await scene.kysely
    .selectFrom('maintenance_windows')
    .select(['from_us', 'to_us', 'source'])
    .where('device_no', '=', device)
    .orderBy('from_us')
    .orderBy('window_no')
    .execute();
  return rows.map((row) => [row.source, (row.from_us - evenUs) / minute, (row.to_us - evenUs) / minute]);
}

/** One round of the jobs of health. */
async function round(nowUs: number, device?: number) {
  await refreshScheduledWindows(scene.kysely, nowUs, device);
  await beginMaintenance(scene, nowUs, device);
  await endMaintenance(scene, nowUs, device);
}

test('windows are made for 48 hours, and further ones when 24 hours are left', async () => {
  const device = await scene.device([place]);
  await assign(device, await schedule(60, { recurrence: 'FREQ=DAILY' }));
  await round(evenUs, device);
  expect(await windows(device)).toEqual([
    ['schedule', 60, 70],
    ['schedule', 60 + 24 * 60, 70 + 24 * 60],
  ]);
  expect(await refreshScheduledWindows(scene.kysely, evenUs + 23 * hour, device)).toBe(0);
  await round(evenUs + 26 * hour, device);
  expect((await windows(device)).map(([, from]) => from)).toEqual([
    60,
    60 + 24 * 60,
    60 + 48 * 60,
    60 + 72 * 60,
  ]);
});

test('a scheduled window has a MaintStart at its begin and a MaintEnd at its end, each once, whatever the rounds are', async () => {
  const device = await scene.device([place]);
  await assign(device, await schedule(5));
  for (const minutes of [0, 4, 6, 6, 10, 16, 16]) await round(evenUs + minutes * minute + 7 * second, device);
  const events = await scene.events(device);
  expect(events.map(({ type, at_us }) => [type, (at_us - evenUs) / minute])).toEqual([
    ['MaintStart', 5],
    ['MaintEnd', 15],
  ]);
  expect(events[0]?.message).toBe('Scheduled maintenance for 10 min');
  // The state before lasted since the device was created; the maintenance that ended lasted ten minutes.
  expect(events.map((event) => event.duration_s)).toEqual([(evenUs + 5 * minute - startUs) / second, 600]);
});

test('a new schedule of the device, new settings and none replace future windows and end or move running ones', async () => {
  const device = await scene.device([place]);
  const no = await schedule(0, { recurrence: 'FREQ=DAILY' });
  await assign(device, no);
  await round(evenUs, device);
  const set = (changes: { duration_s?: number; recurrence?: string }) =>
    scene.kysely.updateTable('mschedules').set(changes).where('mschedule_no', '=', no).execute();
  await set({ duration_s: 1200 });
  await round(evenUs + 2 * minute, device);
  expect((await windows(device)).slice(0, 2)).toEqual([
    ['schedule', 0, 20],
    ['schedule', 1440, 1460],
  ]);
  await assign(device, await schedule(30));
  await round(evenUs + 3 * minute, device);
  expect(await windows(device)).toEqual([
    ['schedule', 0, 3],
    ['schedule', 30, 40],
  ]);
  await assign(device, null);
  await round(evenUs + 4 * minute, device);
  expect(await windows(device)).toEqual([['schedule', 0, 3]]);
  expect(await refreshScheduledWindows(scene.kysely, evenUs + 5 * minute, device)).toBe(0);
});

test('a device that gets a schedule within its window is in maintenance from then on', async () => {
  const device = await scene.device([place]);
  await assign(device, await schedule(0));
  await round(evenUs + 4 * minute, device);
  expect(await windows(device)).toEqual([['schedule', 4, 10]]);
});

test('stop-maintenance ends the current occurrence for this device only, and it does not come back', async () => {
  const [one, other] = [await scene.device([place]), await scene.device([place])];
  const no = await schedule(0, { recurrence: 'FREQ=DAILY' });
  for (const device of [one, other]) await assign(device, no);
  await round(evenUs);
  const request = { accountNo: scene.accountNo, deviceNo: one };
  await stopMaintenance(scene, { ...request, nowUs: evenUs + 2 * minute });
  await scene.kysely
    .updateTable('mschedules')
    .set({ duration_s: 1800 })
    .where('mschedule_no', '=', no)
    .execute();
  await round(evenUs + 3 * minute);
  expect((await windows(one)).slice(0, 2)).toEqual([
    ['schedule', 0, 2],
    ['schedule', 1440, 1470],
  ]);
  expect((await windows(other))[0]).toEqual(['schedule', 0, 30]);
  expect((await scene.events(one)).map(({ type }) => type)).toEqual(['MaintStart', 'MaintEnd']);
});

test('manual windows: one runs, one is planned; a planned one begins by itself, and its reason stands in the event', async () => {
  const device = await scene.device([place]);
  const ask = { accountNo: scene.accountNo, deviceNo: device, durationUs: 10 * minute, nowUs: evenUs };
  await startMaintenance(scene, ask);
  await startMaintenance(scene, { ...ask, startUs: evenUs + 60 * minute });
  await startMaintenance(scene, { ...ask, startUs: evenUs + 30 * minute, reason: 'new disk' });
  expect(await windows(device)).toEqual([
    ['manual', 0, 10],
    ['manual', 30, 40],
  ]);
  await round(evenUs + 41 * minute, device);
  expect((await scene.events(device)).map(({ type, message }) => [type, message])).toEqual([
    ['MaintStart', 'Maintenance for 10 min'],
    ['MaintEnd', 'Maintenance ended'],
    ['MaintStart', 'Maintenance for 10 min: new disk'],
    ['MaintEnd', 'Maintenance ended'],
  ]);
});

test('windows that overlap have one MaintStart and one MaintEnd', async () => {
  const device = await scene.device([place]);
  await startMaintenance(scene, {
    accountNo: scene.accountNo,
    deviceNo: device,
    durationUs: 8 * minute,
    nowUs: evenUs,
  });
  await assign(device, await schedule(5));
  for (const minutes of [0, 6, 9, 16]) await round(evenUs + minutes * minute, device);
  expect((await scene.events(device)).map(({ type, at_us }) => [type, (at_us - evenUs) / minute])).toEqual([
    ['MaintStart', 0],
    ['MaintEnd', 15],
  ]);
});

test('with EndOnFirstOk the first good check after a bad one inside the window ends it', async () => {
  const device = await scene.device([place]);
  const base = { device, agent: place.agentNo };
  await scene.take([{ ...base, at: 0, code: 1 }]);
  await assign(device, await schedule(1, { end_on_first_ok: true }));
  await round(at(0), device);
  const inWindow = (evenUs - startUs) / second + 120;
  await scene.take([{ ...base, at: inWindow, code: 1 }]);
  expect((await windows(device))[0]).toEqual(['schedule', 1, 11]);
  await scene.take([{ ...base, at: inWindow + 60, code: 3 }]);
  await scene.take([{ ...base, at: inWindow + 90, code: 1, attempt: 1 }]);
  expect((await windows(device))[0]).toEqual([
    'schedule',
    1,
    (inWindow + 91 - (evenUs - startUs) / second) / 60,
  ]);
  await round(evenUs + 5 * minute, device);
  expect((await scene.events(device)).map(({ type }) => type)).toContain('MaintEnd');
});

test('the union of all windows is the maintenance time, to the second, in any order of starts, stops and changes', async () => {
  const action = fc.record({
    kind: fc.constantFrom('start', 'stop', 'plan', 'assign', 'unassign', 'round'),
    minutes: fc.integer({ min: 1, max: 40 }),
    wait: fc.integer({ min: 0, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 8 }), async (actions) => {
      const device = await scene.device([place]);
      let nowUs = evenUs;
      for (const { kind, minutes, wait } of actions) {
        nowUs += wait * minute + 13 * second;
        const ask = { accountNo: scene.accountNo, deviceNo: device, durationUs: minutes * minute, nowUs };
        if (kind === 'start') await startMaintenance(scene, ask);
        if (kind === 'plan') await startMaintenance(scene, { ...ask, startUs: nowUs + minutes * minute });
        if (kind === 'stop') await stopMaintenance(scene, ask);
        if (kind === 'assign') await assign(device, await schedule(minutes));
        if (kind === 'unassign') await assign(device, null);
        await round(nowUs, device);
      }
      const endUs = nowUs + 3 * hour;
      await round(endUs, device);
      const rows = await sql<{ from_us: number; to_us: number }>`
        select from_us, to_us from maintenance_windows where device_no = ${device}`.execute(scene.kysely);
      const covered = new Set<number>();
      for (const { from_us, to_us } of rows.rows)
        for (let us = from_us; us < Math.min(to_us, endUs); us += second) covered.add((us - evenUs) / second);
      const period = { deviceNo: device, createdUs: startUs, fromUs: startUs };
      const uptime = (await uptimes(scene.kysely, { devices: [period], toUs: endUs, nowUs: endUs })).get(
        device,
      );
      expect(uptime?.MaintenanceSeconds).toBe(covered.size);
      const { UpSeconds = 0, DownSeconds = 0, MaintenanceSeconds = 0, UnknownSeconds = 0 } = uptime ?? {};
      expect(UpSeconds + DownSeconds + MaintenanceSeconds + UnknownSeconds).toBe((endUs - startUs) / second);
      const changes = (await scene.events(device)).map(({ type, message }) => ({ type, message }));
      const begins = changes.filter(
        ({ type, message }) => type === 'MaintStart' && !message.includes('continues'),
      );
      expect(begins.length).toBe(changes.filter(({ type }) => type === 'MaintEnd').length);
    }),
    { numRuns: propertyRuns(20) },
  );
});

test('starts, stops and rounds at one moment leave one window each, and none fails', async () => {
  for (let i = 0; i < 5; i += 1) {
    const device = await scene.device([place]);
    await assign(device, await schedule(0));
    const ask = { accountNo: scene.accountNo, deviceNo: device, durationUs: minute, nowUs: evenUs };
    await Promise.all([
      startMaintenance(scene, ask),
      round(evenUs, device),
      round(evenUs, device),
      stopMaintenance(scene, ask),
      startMaintenance(scene, { ...ask, startUs: evenUs + hour }),
    ]);
    const all = await windows(device);
    expect(all.filter(([source]) => source === 'schedule')).toHaveLength(1);
    expect(all.filter(([source, from]) => source === 'manual' && from === 0).length).toBe(1);
  }
});
