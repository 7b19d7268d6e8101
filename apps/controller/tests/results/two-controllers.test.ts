import { announcedStatus, fold, newState, toObservations } from '@vantage/health';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readState } from '../../src/results/status/fold-state.ts';
import { toResult } from '../../src/results/status/fold-store.ts';
import { recordedStatuses } from '../../src/results/status/recorded-events.ts';
import {
  createScenario,
  type ScenarioCheck,
  second,
  startUs,
} from '../../src/results/status/testing/scenario.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
let places: { locationNo: number; agentNo: number }[];

beforeAll(async () => {
  scene = await createScenario();
  places = [await scene.location('a'), await scene.location('b')];
  const [, b] = places;
  if (b) await scene.cut(b.agentNo, 200);
});
afterAll(() => scene[Symbol.asyncDispose]());

const check = fc.record({
  agent: fc.constantFrom(0, 1),
  at: fc.integer({ min: 0, max: 300 }),
  code: fc.constantFrom(1, 3, 3, 3, 3, 2, 10),
  attempt: fc.constantFrom(0, 1, 2),
  delay: fc.constantFrom(1, 1, 1, 100),
});

const checks = fc
  .array(check, { minLength: 5, maxLength: 25 })
  .map((all) => [...new Map(all.map((one) => [`${one.at}/${one.agent}`, one])).values()]);

/** The history of a device in the database. */
async function stored(device: number) {
  const intervals = await scene.kysely
    .selectFrom('status_intervals')
    .select(['from_us as fromUs', 'status'])
    .where('device_no', '=', device)
    .orderBy('from_us')
    .execute();
  const { state } = (await scene.state(device)) ?? {};
  return { intervals, state: readState(state) };
}

/** The history of a device by the pure core, from all its checks at once. */
async function foldWhole(device: number) {
  const rows = await scene.kysely.selectFrom('checks').selectAll().where('device_no', '=', device).execute();
  const spans = places.map((place, i) => ({
    ...place,
    fromUs: startUs,
    toUs: i === 0 ? Number.POSITIVE_INFINITY : startUs + 200 * second,
  }));
  return fold(newState(startUs), toObservations(rows.map(toResult), spans), {
    retries: 2,
    targetRevision: 1,
  });
}

test('two controllers that take batches in any order, some twice, at the same time, record the same history as one', {
  timeout: 240_000,
}, async () => {
  const histories = checks.chain((all) =>
    fc.tuple(
      fc.shuffledSubarray(all, { minLength: all.length }),
      fc.shuffledSubarray(all),
      fc.integer({ min: 1, max: 5 }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(histories, async ([first, again, size]) => {
      const device = await scene.device(places);
      const batch = (list: typeof first): ScenarioCheck[] =>
        list.map(({ agent, at, code, attempt, delay }) => {
          return { device, agent: places[agent]?.agentNo ?? 0, at, code, attempt, arrives: at + 1 + delay };
        });
      const streams = [first, again].map(async (list) => {
        for (let i = 0; i < list.length; i += size) await scene.take(batch(list.slice(i, i + size)));
      });
      await Promise.all(streams);
      const whole = await foldWhole(device);
      const inDatabase = await stored(device);
      if (whole.checkpoints.length === 0) {
        expect(inDatabase.state).toEqual({ kind: 'none' });
        return;
      }
      expect(inDatabase).toEqual({
        intervals: whole.intervals,
        state: { kind: 'state', state: whole.state },
      });
      // No status is recorded twice in a row, and the last one is the status of the device.
      const recorded = await recordedStatuses(scene.kysely, [{ deviceNo: device, fromUs: startUs }]);
      const statuses = (recorded.get(device) ?? []).map(({ status }) => status);
      for (const [i, status] of statuses.entries()) expect(status).not.toBe(statuses[i + 1]);
      const now = announcedStatus(whole.state);
      if (statuses.length > 0 && now !== null) expect(statuses.at(-1)).toBe(now);
      // Recorded events stay, perhaps of another check than the whole fold names; but every event of the whole fold is
      // recorded.
      const types = (await scene.events(device)).map((event) => event.type);
      expect(types).toEqual(expect.arrayContaining(whole.events.map((event) => event.type)));
    }),
    { numRuns: propertyRuns(30) },
  );
});
