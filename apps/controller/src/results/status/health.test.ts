import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runRequests } from '../../agents/run-requests/index.ts';
import { locationVisibility } from '../../catalog/locations/visibility-store.ts';
import { recordEvents } from '../events/record-events.ts';
import { createHealth, trimCheckpoints } from './health.ts';
import { startMaintenance } from './manual-maintenance.ts';
import { createScenario, second, startUs } from './testing/scenario.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;

beforeAll(async () => {
  scene = await createScenario();
});
afterAll(() => scene[Symbol.asyncDispose]());

const soon = { timeout: 60_000, interval: 20 };

test('the loops of two controllers record the end of maintenance once and end with their signal', async () => {
  const device = await scene.device([await scene.location('loop')]);
  const request = { deviceNo: device, accountNo: scene.accountNo, nowUs: startUs, durationUs: 60 * second };
  await startMaintenance(scene, request);
  const clock = createFakeClock(startUs + 61 * second);
  const ending = new AbortController();
  const loops = [1, 2].map(() =>
    createHealth({
      clock,
      log: createLog('test', 'silent'),
      recordEvents,
      runRequests,
      locations: locationVisibility,
    }).run(scene.kysely, ending.signal),
  );
  const types = async () => (await scene.events(device)).map((event) => event.type);
  await expect.poll(types, soon).toEqual(['MaintStart', 'MaintEnd']);
  await expect.poll(() => clock.pending, soon).toBe(2);
  await clock.advance(1_000);
  await expect.poll(() => clock.pending, soon).toBe(2);
  ending.abort();
  await Promise.all(loops);
  expect(await types()).toEqual(['MaintStart', 'MaintEnd']);
});

test('old checkpoints go, the newest old one of each device stays', async () => {
  const place = await scene.location('old');
  const device = await scene.device([place]);
  const base = { device, agent: place.agentNo };
  await scene.take([
    { ...base, at: 0, code: 1 },
    { ...base, at: 60, code: 3 },
    { ...base, at: 62, code: 1, attempt: 1 },
    { ...base, at: 120, code: 3 },
  ]);
  await trimCheckpoints(scene.kysely, startUs + 100 * second);
  const points = await scene.kysely
    .selectFrom('state_checkpoints')
    .select('start_us')
    .where('device_no', '=', device)
    .orderBy('start_us')
    .execute();
  expect(points.map((point) => (point.start_us - startUs) / second)).toEqual([62, 120]);
});

test('after a change of the target, results of the old settings change only history, and the old retry sequence gets no run request', async () => {
  const here = await scene.location('t1');
  const there = await scene.location('t2');
  const device = await scene.device([here, there]);
  await scene.take([{ device, agent: here.agentNo, at: 0, code: 1 }]);
  await scene.kysely
    .updateTable('devices')
    .set({ revision: 2, target_revision: 2 })
    .where('device_no', '=', device)
    .execute();
  await scene.take([{ device, agent: here.agentNo, at: 60, code: 3 }]);
  expect((await scene.events(device)).map((event) => event.type)).toEqual(['Up']);
  expect(await scene.runRequests(device)).toEqual([]);
});
