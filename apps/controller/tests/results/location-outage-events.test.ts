import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordedStatuses } from '../../src/results/status/recorded-events.ts';
import {
  createScenario,
  type ScenarioCheck,
  second,
  startUs,
} from '../../src/results/status/testing/scenario.ts';
import { setOffline, updateVisibility } from '../../src/results/status/visibility.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
beforeAll(async () => {
  scene = await createScenario();
});
afterAll(() => scene[Symbol.asyncDispose]());

const at = (s: number) => startUs + s * second;

/** The agent's stream is cut from 100 to 400, and its Location becomes offline at 200. */
async function cutLocation(name: string) {
  const place = await scene.location(name);
  await sql`insert into controllers values ('c', ${at(-500)}::bigint, ${at(200)}::bigint)
    on conflict (controller_id) do update set last_seen_us = excluded.last_seen_us`.execute(scene.kysely);
  return {
    ...place,
    async cut() {
      await scene.cut(place.agentNo, 100);
      await setOffline(scene, at(200));
    },
    async back() {
      await sql`update agents set state = 'Connected' where agent_no = ${place.agentNo}`.execute(
        scene.kysely,
      );
      await sql`insert into connection_spans (agent_no, location_no, from_us, to_us, session_id)
        values (${place.agentNo}, ${place.locationNo}, ${at(400)}, null, ${name})`.execute(scene.kysely);
      await updateVisibility(scene, at(401), place.locationNo);
    },
  };
}

test('a cut of a Location of 26 devices makes two events; only devices that changed have their own', async () => {
  const place = await cutLocation('of 26');
  const devices = await Promise.all(Array.from({ length: 26 }, () => scene.device([place])));
  const of = (list: readonly number[], s: number, code: number, more: Partial<ScenarioCheck> = {}) =>
    list.map((device): ScenarioCheck => ({ device, agent: place.agentNo, at: s, code, ...more }));
  await scene.take(of(devices, 10, 1));
  await place.cut();
  await place.back();
  // Twelve devices in the own subnet were fine, twelve beyond could not be seen; one failed and is back, one is Down.
  const [fine, unseen] = [devices.slice(0, 12), devices.slice(12, 24)];
  const [failed, down] = [devices.slice(24, 25), devices.slice(25)];
  const late = { arrives: 402 };
  for (const s of [160, 220, 280, 340]) {
    await scene.take([...of(fine, s, 1, late), ...of(unseen, s, 10, late)]);
    await scene.take(of(failed, s, s < 300 ? 3 : 1, { ...late, attempt: (s - 160) / 60 }));
    await scene.take(of(down, s, 3, { ...late, attempt: Math.min(2, (s - 160) / 60) }));
  }
  await scene.take([...of([...fine, ...unseen, ...failed], 410, 1), ...of(down, 410, 3)]);

  const types = async (device: number | null) => (await scene.events(device)).map(({ type }) => type);
  expect(await types(null)).toEqual(['LocationOffline', 'LocationOnline']);
  for (const device of [...fine, ...unseen]) expect(await types(device)).toEqual(['Up']);
  expect(await types(failed[0] ?? 0)).toEqual(['Up', 'Error', 'Down', 'Up']);
  expect(await types(down[0] ?? 0)).toEqual(['Up', 'Error', 'Down']);
  const recorded = await scene.events(down[0] ?? 0);
  expect(recorded.map(({ late: isLate }) => isLate)).toEqual([false, true, true]);
});

test('a device with only inconclusive results of a connected agent after the cut gets one event Unknown', async () => {
  const place = await cutLocation('no right to ping');
  const device = await scene.device([place]);
  const base = { device, agent: place.agentNo };
  await scene.take([{ ...base, at: 10, code: 1 }]);
  await place.cut();
  await place.back();
  await scene.take([{ ...base, at: 160, code: 10, arrives: 402 }]);
  expect((await scene.events(device)).map(({ type }) => type)).toEqual(['Up']);
  for (const s of [410, 470]) await scene.take([{ ...base, at: s, code: 10 }]);
  await scene.take([{ ...base, at: 530, code: 1 }]);
  expect((await scene.events(device)).map(({ type }) => type)).toEqual(['Up', 'Unknown', 'Up']);
  const statuses = await recordedStatuses(scene.kysely, [{ deviceNo: device, fromUs: startUs }]);
  expect(statuses.get(device)?.map(({ status }) => status)).toEqual(['Up', 'Unknown', 'Up']);
});

test('devices behind a silent anchor are Unknown without an event of their own; a first error gets its end', async () => {
  const place = await scene.location('behind an anchor');
  const [behind, failing, down] = [
    await scene.device([place]),
    await scene.device([place]),
    await scene.device([place]),
  ];
  const all = [behind, failing, down].map((device) => ({ device, agent: place.agentNo }));
  const [one = { device: 0, agent: 0 }, two = one, three = one] = all;
  await scene.take(all.map((check) => ({ ...check, at: 10, code: 1 })));
  await scene.take([{ ...two, at: 65, code: 3 }]);
  for (const attempt of [0, 1, 2]) await scene.take([{ ...three, at: 66 + attempt, code: 3, attempt }]);
  for (const s of [70, 130])
    await scene.take(all.map((check) => ({ ...check, at: s, code: 10, isBehindAnchor: true })));
  const rows = await scene.kysely
    .selectFrom('device_state')
    .select('status')
    .where('device_no', 'in', [behind, failing, down])
    .execute();
  expect(rows.map(({ status }) => status)).toEqual(['Unknown', 'Unknown', 'Unknown']);
  await scene.take([one, two].map((check) => ({ ...check, at: 190, code: 1 })));
  await scene.take([{ ...three, at: 190, code: 3 }]);
  const types = async (device: number) => (await scene.events(device)).map(({ type }) => type);
  expect(await types(behind)).toEqual(['Up']);
  expect(await types(failing)).toEqual(['Up', 'Error', 'Unknown', 'Up']);
  expect(await types(down)).toEqual(['Up', 'Error', 'Down']);
});
