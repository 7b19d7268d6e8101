import { newState, type OnlineSpan } from '@vantage/health';
import { newId } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import { foreverUs } from '@vantage/storage';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realTime } from '../../config/time-scale.ts';
import { checkpointsBefore } from './checkpoint-store.ts';
import { type StoredFoldResult, writeFoldResults } from './fold-results-store.ts';
import { type DeviceCache, foldDevices, onlineSpans, type StoredCheck, toResult } from './fold-store.ts';
import { createScenario } from './testing/scenario.ts';
import { createTimes } from './times.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
beforeAll(async () => {
  scene = await createScenario();
});
afterAll(() => scene[Symbol.asyncDispose]());

const times = createTimes(realTime);

/** Spans that do not touch each other, in order; the last one may go on. */
const timeline = fc
  .uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 })
  .map((points) => points.toSorted((a, b) => a - b))
  .map((points) =>
    points.flatMap((fromUs, i) => (i % 2 === 1 ? [] : [{ fromUs, toUs: points[i + 1] ?? foreverUs }])),
  );
/** Spans of one agent at one of two Locations. */
const placed = fc.tuple(timeline, fc.infiniteStream(fc.constantFrom(0, 0, 1)));

function inOrder(spans: readonly OnlineSpan[]): readonly OnlineSpan[] {
  return spans.toSorted(
    (a, b) => a.fromUs - b.fromUs || a.agentNo - b.agentNo || a.locationNo - b.locationNo,
  );
}

test('property: the online spans of a device are those in which an agent has it and is connected, with the last connections before', {
  timeout: 60_000,
}, async () => {
  const places = [await scene.location('a'), await scene.location('b')];
  const sinceUs = fc.integer({ min: 0, max: 10 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(placed, { minLength: 2, maxLength: 2 }),
      placed,
      sinceUs,
      async (agents, given, since) => {
        const [device, other] = [await scene.device([]), await scene.device([])];
        const place = (i = 0) => places[i]?.locationNo ?? 0;
        await sql`delete from connection_spans`.execute(scene.kysely);
        const connected = agents.flatMap(([spans, at], agent) =>
          spans.map((span) => ({
            ...span,
            agentNo: places[agent]?.agentNo ?? 0,
            locationNo: place(at.next().value),
          })),
        );
        const [spans, owners] = given;
        const held = spans.map((span) => ({
          ...span,
          agentNo: places[owners.next().value ?? 0]?.agentNo ?? 0,
          locationNo: place(owners.next().value),
        }));
        const toUs = (us: number) => (us === foreverUs ? null : us);
        for (const { agentNo: agent_no, locationNo: location_no, fromUs: from_us, toUs: us } of connected)
          await scene.kysely
            .insertInto('connection_spans')
            .values({ agent_no, location_no, from_us, to_us: toUs(us), session_id: newId() })
            .execute();
        for (const { agentNo: agent_no, locationNo: location_no, fromUs: from_us, toUs: us } of held)
          for (const device_no of [device, other])
            await scene.kysely
              .insertInto('assignment_spans')
              .values({
                device_no,
                agent_no,
                location_no,
                from_us,
                to_us: toUs(us),
                rotation_index: 0,
                rotation_size: 1,
                retries_locally: true,
                run_immediately: true,
              })
              .execute();
        const expected = held.flatMap(({ agentNo, locationNo, ...own }): OnlineSpan[] => {
          if (own.toUs <= since) return [];
          const there = connected.filter((one) => one.agentNo === agentNo && one.locationNo === locationNo);
          const last = there.filter(({ fromUs }) => fromUs < since).at(-1);
          return there
            .filter((one) => one.toUs > since || one === last)
            .map((one) => ({
              agentNo,
              locationNo,
              fromUs: Math.max(own.fromUs, one.fromUs),
              toUs: Math.min(own.toUs, one.toUs),
            }))
            .filter(({ fromUs, toUs: us }) => fromUs < us);
        });
        const found = await onlineSpans(scene.kysely, [device, other], since);
        for (const deviceNo of [device, other])
          expect(inOrder(found.get(deviceNo) ?? [])).toEqual(
            inOrder(expected).map((span) => ({ deviceNo, ...span })),
          );
      },
    ),
    { numRuns: propertyRuns(60) },
  );
});

test('a cache of 20,000 devices is full; what a further device does not need is forgotten', async () => {
  const devices = [await scene.device([]), await scene.device([])];
  const full = async (size: number) => {
    const cache: DeviceCache = new Map();
    await foldDevices(scene.kysely, devices, times, cache);
    const [known] = cache.values();
    cache.clear();
    if (known !== undefined) for (let i = 1; i <= size; i += 1) cache.set(-i, known);
    const found = await foldDevices(scene.kysely, devices, times, cache);
    expect([...found.keys()]).toEqual(devices);
    return cache.size;
  };
  expect(await full(19_998)).toBe(20_000);
  expect(await full(19_999)).toBe(2);
});

test('fold results replace checkpoints and intervals from their points on, and a fold begins at the last checkpoint before', async () => {
  const deviceNo = await scene.device([]);
  const state = (startUs: number, agentNo: number, sinceUs = startUs) => ({
    ...newState(sinceUs),
    at: { startUs, agentNo },
  });
  const write = (result: Omit<StoredFoldResult, 'deviceNo'>) =>
    writeFoldResults(scene.kysely, [{ deviceNo, ...result }]);
  const before = async (startUs: number, agentNo: number) => {
    const found = await checkpointsBefore(scene.kysely, [{ deviceNo, startUs, agentNo }]);
    return found.get(deviceNo);
  };
  const intervals = async () => {
    const { rows } = await sql<{ fromUs: number; status: string }>`
      select from_us as "fromUs", status from status_intervals where device_no = ${deviceNo} order by 1`.execute(
      scene.kysely,
    );
    return rows.map(({ fromUs, status }) => `${fromUs} ${status}`);
  };
  const places = [state(10, 1), state(10, 2), state(20, 1), { ...state(30, 1), at: null }];
  await write({
    from: { startUs: 0, agentNo: 0 },
    checkpoints: places,
    intervalsFromUs: 0,
    intervals: [10, 20, 30].map((fromUs) => ({ fromUs, status: 'Up' })),
    state: state(20, 1),
  });
  expect(await before(10, 1)).toBeUndefined();
  expect(await before(10, 2)).toMatchObject({ at: { startUs: 10, agentNo: 1 } });
  expect(await before(20, 1)).toMatchObject({ at: { startUs: 10, agentNo: 2 } });
  expect(await before(99, 1)).toMatchObject({ at: { startUs: 20, agentNo: 1 } });
  expect(await scene.state(deviceNo)).toMatchObject({
    version: 1,
    status: 'Unknown',
    since_us: 20,
    retrying: false,
  });
  await write({
    from: { startUs: 10, agentNo: 2 },
    checkpoints: [],
    intervalsFromUs: 20,
    intervals: [{ fromUs: 25, status: 'Down' }],
    state: { ...state(25, 1), status: 'Down' },
  });
  expect(await before(99, 1)).toMatchObject({ at: { startUs: 10, agentNo: 1 } });
  expect(await intervals()).toEqual(['10 Up', '25 Down']);
  expect(await scene.state(deviceNo)).toMatchObject({ version: 2, status: 'Down', since_us: 25 });
});

test.each<[Partial<StoredCheck>, object]>([
  [{ retry_id: '' }, { retryId: null }],
  [{ retry_id: 'r' }, { retryId: 'r' }],
  [{ behind_anchor: true }, { isBehindAnchor: true }],
  [{ behind_anchor: null }, { isBehindAnchor: false }],
])('a stored check with %j is a result with %j', (columns, expected) => {
  const row: StoredCheck = {
    device_no: 1,
    start_us: 2,
    agent_no: 3,
    location_no: 4,
    end_us: 5,
    arrived_us: 6,
    revision: 7,
    attempt: 0,
    code: 1,
    check_result: 'ok',
    retry_id: null,
    run_request_id: null,
    behind_anchor: null,
  };
  expect(toResult({ ...row, ...columns })).toMatchObject({ startUs: 2, endUs: 5, arrivedUs: 6, ...expected });
});

test('a device is the same object while its rows are the same, and read again after any change, also one that was rolled back', async () => {
  const place = await scene.location('cached');
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
