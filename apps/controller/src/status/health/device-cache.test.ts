import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realTime } from '../../platform/config/time-scale.ts';
import { type DeviceCache, foldDevices } from './fold-store.ts';
import { createScenario } from './testing/scenario.ts';
import { createTimes } from './times.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
beforeAll(async () => {
  scene = await createScenario();
});
afterAll(() => scene[Symbol.asyncDispose]());

const times = createTimes(realTime);

test('a device is the same object while its rows are the same, and read again after any change, also one that was rolled back', async () => {
  const place = await scene.location('a');
  const [device, other] = [await scene.device([place]), await scene.device([place])];
  await scene.take([{ device, agent: place.agentNo, at: 0, code: 1 }]);
  const cache: DeviceCache = new Map();
  const read = async (kysely = scene.kysely) => {
    const devices = await foldDevices(kysely, [device, other], times, cache);
    expect(devices).toEqual(await foldDevices(kysely, [device, other], times));
    return devices.get(device);
  };
  const first = await read();
  expect(await read()).toBe(first);

  await sql`update devices set retries = retries + 1 where device_no = ${device}`.execute(scene.kysely);
  expect((await read())?.retries).toBe((first?.retries ?? 0) + 1);
  await scene.take([{ device, agent: place.agentNo, at: 60, code: 3 }]);
  expect((await read())?.stored).toMatchObject({ state: { retrySequence: { failing: [place.locationNo] } } });

  // Two changes in one transaction, each of which is read in it, and then undone.
  const before = await read();
  const undone = scene.kysely.transaction().execute(async (trx) => {
    for (const retryDelayS of [77, 78]) {
      await sql`update devices set retry_delay_s = ${retryDelayS} where device_no = ${device}`.execute(trx);
      await sql`update device_state set warnings = '{}' where device_no = ${device}`.execute(trx);
      expect((await read(trx))?.retryDelayUs).toBe(times.retryDelayUs(retryDelayS));
    }
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await read()).toEqual(before);

  await sql`delete from device_state where device_no = ${device}`.execute(scene.kysely);
  expect((await read())?.stored).toEqual({ kind: 'none' });
  await sql`delete from devices where device_no = ${device}`.execute(scene.kysely);
  expect(await read()).toBeUndefined();
});
