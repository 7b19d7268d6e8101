import { newState, stateVersion } from '@vantage/health';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readState } from './fold-state.ts';
import { createScenario, second, startUs } from './testing/scenario.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
let places: { locationNo: number; agentNo: number }[];
beforeAll(async () => {
  scene = await createScenario();
  places = [await scene.location('a'), await scene.location('b')];
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Replaces the states of a device by ones that no program of this version can read. */
async function spoil(device: number, state = '{"version": 99, "status": "Up"}') {
  await sql`update device_state set state = ${state}::jsonb where device_no = ${device}`.execute(
    scene.kysely,
  );
  await sql`update state_checkpoints set state = ${state}::jsonb where device_no = ${device}`.execute(
    scene.kysely,
  );
}

async function storyOf(device: number) {
  const intervals = await scene.kysely
    .selectFrom('status_intervals')
    .select(['from_us', 'status'])
    .where('device_no', '=', device)
    .orderBy('from_us')
    .execute();
  const { status, since_us, retrying } = (await scene.state(device)) ?? {};
  const events = await scene.events(device);
  return { intervals, status, since_us, retrying, events };
}

test('a state without a version is one of version 1: nothing of it is lost', () => {
  const {
    announced: _,
    retrySequence: chain,
    inconclusiveLocationNos: abstaining,
    ...first
  } = newState(startUs);
  expect(readState({ ...first, chain, abstaining })).toEqual({ kind: 'state', state: newState(startUs) });
  expect(readState(null)).toEqual({ kind: 'none' });
});

test('a state of version 2 with an open retry sequence is read under its names of today', () => {
  const chain = {
    chainId: 'c',
    opened: { startUs, agentNo: 1 },
    firstErrorEndUs: startUs,
    revision: 1,
    failedKs: [1],
    failing: [1],
    lastEndUs: startUs,
    lastLocationNo: 1,
    lastAgentNo: 1,
  };
  const partial = { failing: [2], chains: 2 };
  const { retrySequence: _, inconclusiveLocationNos: __, ...rest } = newState(startUs);
  expect(readState({ ...rest, version: 2, chain, partial, abstaining: [3] })).toMatchObject({
    kind: 'state',
    state: {
      retrySequence: { retryId: 'c', failedAttempts: [1], lastEndUs: startUs },
      partial: { failing: [2], sequences: 2 },
      inconclusiveLocationNos: [3],
    },
  });
});

test.each([
  ['of a later version', JSON.stringify({ ...newState(startUs), version: stateVersion + 1 })],
  ['of this version, but not whole', JSON.stringify({ version: stateVersion, status: 'Up' })],
  ['no object', '[]'],
  [
    'with a retry sequence of another form',
    '{"status": "Up", "chain": {"lastEndUs": "soon", "revision": 1.5}}',
  ],
])(
  'a state that is %s is rebuilt: status, begin and open retry sequence are as before',
  async (_what, state) => {
    const device = await scene.device(places.slice(0, 1));
    const base = { device, agent: places[0]?.agentNo ?? 0 };
    for (const s of [0, 60]) await scene.take([{ ...base, at: s, code: 1 }]);
    await scene.take([{ ...base, at: 120, code: 3 }]);
    await scene.take([{ ...base, at: 122, code: 3, attempt: 1 }]);
    const before = await storyOf(device);
    await spoil(device, state);
    await scene.take([{ ...base, at: 123, code: 3 }]);
    expect(await storyOf(device)).toEqual(before);
    await scene.take([{ ...base, at: 124, code: 3, attempt: 2 }]);
    expect((await scene.events(device)).map(({ type }) => type)).toEqual(['Up', 'Error', 'Down']);
    expect(await scene.state(device)).toMatchObject({ status: 'Down', since_us: startUs + 121 * second });
  },
);

test('an outage with only inconclusive results goes on after its state was rebuilt', async () => {
  const device = await scene.device(places.slice(0, 1));
  const base = { device, agent: places[0]?.agentNo ?? 0 };
  for (const [k, s] of [60, 62, 64].entries()) await scene.take([{ ...base, at: s, code: 3, attempt: k }]);
  await scene.take([{ ...base, at: 120, code: 10 }]);
  await spoil(device);
  await scene.take([{ ...base, at: 180, code: 3 }]);
  expect((await scene.events(device)).map(({ type }) => type)).toEqual(['Error', 'Down', 'Unknown', 'Down']);
});

test('a paused device whose state was lost takes a result, and nothing changes by it', async () => {
  const device = await scene.device(places.slice(0, 1));
  const base = { device, agent: places[0]?.agentNo ?? 0 };
  await scene.take([{ ...base, at: 60, code: 1 }]);
  await sql`update devices set enabled = false where device_no = ${device}`.execute(scene.kysely);
  const before = await storyOf(device);
  await spoil(device);
  await scene.take([{ ...base, at: 120, code: 3 }]);
  expect(await storyOf(device)).toEqual(before);
});

const check = fc.record({
  agent: fc.constantFrom(0, 1),
  gap: fc.integer({ min: 2, max: 30 }),
  code: fc.constantFrom(1, 3, 3, 3, 2),
  attempt: fc.constantFrom(0, 1, 2),
});

test('a device whose states were lost at any moment has the same history as one whose states were not', {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(check, { minLength: 2, maxLength: 20 }), fc.nat(19), async (checks, lostAt) => {
      const devices = [await scene.device(places), await scene.device(places)];
      let at = 0;
      for (const [i, { agent, gap, code, attempt }] of checks.entries()) {
        if (i === lostAt % checks.length) await spoil(devices[0] ?? 0);
        at += gap;
        for (const device of devices)
          await scene.take([{ device, agent: places[agent]?.agentNo ?? 0, at, code, attempt }]);
      }
      const [lost, kept] = await Promise.all(devices.map(storyOf));
      expect(lost).toEqual(kept);
    }),
    { numRuns: propertyRuns(20) },
  );
});

test('late results from before the loss find their place in the history', async () => {
  const devices = [await scene.device(places.slice(0, 1)), await scene.device(places.slice(0, 1))];
  for (const device of devices) {
    const base = { device, agent: places[0]?.agentNo ?? 0 };
    for (const [k, s] of [60, 62, 64].entries()) await scene.take([{ ...base, at: s, code: 3, attempt: k }]);
    for (const s of [120, 600]) await scene.take([{ ...base, at: s, code: 1 }]);
    if (device === devices[0]) await spoil(device);
    const late = [300, 302, 304].map((s, k) => ({ ...base, at: s, code: 3, attempt: k, arrives: 700 }));
    await scene.take(late);
  }
  const [lost, kept] = await Promise.all(devices.map(storyOf));
  expect(lost).toEqual(kept);
  expect(kept?.intervals.map(({ status }) => status)).toEqual(['Unknown', 'Down', 'Up', 'Down', 'Up']);
});
