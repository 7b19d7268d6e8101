import { scheduleOffsetMs } from '@vantage/domain/schedule-offset';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffPlans, type PlanAgent, planLocation } from './assignment-plan.ts';

const here = 1;
const agentsOf = (...capacities: number[]): PlanAgent[] =>
  capacities.map((capacity, i) => ({ agentNo: i + 1, capacity, awaySinceUs: null }));
const devicesOf = (count: number, locationNos = [here]) =>
  Array.from({ length: count }, (_, i) => ({ deviceNo: i + 1, locationNos, changedUs: 0 }));
const nowUs = 1_700_000_000_000_000;
const facts = {
  locationNo: here,
  connected: new Set([here]),
  assignedAgents: new Map<number, number>(),
  nowUs,
};
const planOf = (agents: readonly PlanAgent[], count: number) =>
  planLocation({ ...facts, agents, devices: devicesOf(count), online: new Set([here]) });

const someAgents = fc.uniqueArray(
  fc.record({
    agentNo: fc.integer({ min: 1, max: 1e6 }),
    capacity: fc.integer({ min: 1, max: 1e5 }),
    awaySinceUs: fc.constant(null),
  }),
  { minLength: 1, maxLength: 8, selector: (agent) => agent.agentNo },
);

describe('sharing devices among agents', () => {
  test('every device has one of the agents, whatever their order', () => {
    fc.assert(
      fc.property(someAgents, fc.integer({ min: 0, max: 60 }), (agents, count) => {
        const plan = planOf(agents, count);
        expect(plan.map((one) => one.deviceNo)).toEqual(devicesOf(count).map((one) => one.deviceNo));
        for (const one of plan) expect(agents.map((agent) => agent.agentNo)).toContain(one.agentNo);
        expect(planOf([...agents].reverse(), count)).toEqual(plan);
      }),
    );
  });

  test('an agent that leaves moves its own share and nothing else', () => {
    fc.assert(
      fc.property(someAgents, fc.nat(), (agents, pick) => {
        fc.pre(agents.length > 1);
        const lost = agents[pick % agents.length];
        const before = planOf(agents, 100);
        const after = planOf(
          agents.filter((agent) => agent !== lost),
          100,
        );
        const moved = diffPlans(before, after).close;
        expect(moved.every((one) => one.agentNo === lost?.agentNo)).toBe(true);
        expect(moved).toHaveLength(before.filter((one) => one.agentNo === lost?.agentNo).length);
      }),
    );
  });

  test('shares follow capacity', () => {
    const plan = planOf(agentsOf(10_000, 30_000), 20_000);
    const share = plan.filter((one) => one.agentNo === 2).length / plan.length;
    expect(share).toBeGreaterThan(0.73);
    expect(share).toBeLessThan(0.77);
  });

  test('ten thousand devices are shared among eight agents, each device once', () => {
    const plan = planOf(agentsOf(1, 2, 3, 4, 5, 6, 7, 8), 10_000);
    expect(new Set(plan.map((one) => one.deviceNo)).size).toBe(10_000);
    expect(plan).toHaveLength(10_000);
    expect(new Set(plan.map((one) => one.agentNo)).size).toBe(8);
  });

  test('without an agent the plan is empty', () => {
    expect(planOf([], 10)).toEqual([]);
  });
});

describe('rotation', () => {
  const ring = [7, here, 9];
  const turnAt = (locationNo: number, online: readonly number[]) =>
    planLocation({
      ...facts,
      locationNo,
      agents: agentsOf(1),
      devices: devicesOf(1, ring),
      online: new Set(online),
    })[0];

  test('every online Location has its own place in the rotation, and the first one runs the first check', () => {
    fc.assert(
      fc.property(fc.subarray(ring, { minLength: 1 }), (online) => {
        const turns = online.map((locationNo) => turnAt(locationNo, online));
        expect(turns.map((one) => one?.rotationIndex)).toEqual(online.map((_, i) => i));
        expect(new Set(turns.map((one) => one?.rotationSize))).toEqual(new Set([online.length]));
        expect(turns.filter((one) => one?.runImmediately)).toHaveLength(1);
        expect(turns.every((one) => one?.retriesLocally === (online.length === 1))).toBe(true);
      }),
    );
  });

  test('an offline Location is left out of the rotation, and gets its place back when it is online again', () => {
    expect(turnAt(9, [7, 9])).toMatchObject({
      rotationIndex: 1,
      rotationSize: 2,
      retriesLocally: false,
      runImmediately: false,
    });
    expect(turnAt(9, [here, 7, 9])).toMatchObject({ rotationIndex: 2, rotationSize: 3 });
  });

  test('a Location with a connected agent is planned before it is online', () => {
    expect(turnAt(here, [])).toMatchObject({
      rotationIndex: 0,
      rotationSize: 1,
      retriesLocally: true,
      runImmediately: true,
    });
  });
});

describe('an agent that is away for a short time', () => {
  const minuteUs = 60_000_000;
  const agents = [
    { agentNo: 1, capacity: 100, awaySinceUs: nowUs - minuteUs / 2 },
    { agentNo: 2, capacity: 100, awaySinceUs: null },
  ];
  const before = planOf(agentsOf(100, 100), 100);
  const assignedAgents = new Map(before.map((one) => [one.deviceNo, one.agentNo]));
  const plan = (changedUs: number, held = assignedAgents) =>
    planLocation({
      ...facts,
      agents,
      online: new Set([here]),
      assignedAgents: held,
      devices: devicesOf(100).map((device) => ({ ...device, changedUs })),
    });

  test('keeps its devices', () => {
    expect(diffPlans(before, plan(nowUs - minuteUs))).toEqual({ close: [], open: [], update: [] });
  });

  test.each([
    ['a new device', plan(nowUs - minuteUs, new Map())],
    ['one that changed after it went away', plan(nowUs - minuteUs / 4)],
    ['one that another has meanwhile', plan(0, new Map(before.map((one) => [one.deviceNo, 2])))],
  ])('gets no new device: %s', (_what, then) => {
    expect(new Set(then.map((one) => one.agentNo))).toEqual(new Set([2]));
  });

  test('a fresh device is checked first by a Location with an agent that is there', () => {
    const fresh = { deviceNo: 1, locationNos: [7, here] };
    const look = (connected: readonly number[], changedUs: number, locationNo = here) =>
      planLocation({
        ...facts,
        locationNo,
        agents,
        connected: new Set(connected),
        online: new Set([7, here]),
        devices: [{ ...fresh, changedUs }],
      })[0]?.runImmediately;
    expect([look([here], nowUs), look([here], nowUs, 7)]).toEqual([true, false]);
    expect([look([7, here], nowUs), look([7, here], nowUs, 7)]).toEqual([false, true]);
    expect([look([here], 0), look([here], 0, 7)]).toEqual([false, true]);
  });
});

test('an agent retries by itself only where no other agent could', () => {
  expect(new Set(planOf(agentsOf(1), 9).map((one) => one.retriesLocally))).toEqual(new Set([true]));
  expect(new Set(planOf(agentsOf(1, 1), 9).map((one) => one.retriesLocally))).toEqual(new Set([false]));
});

describe('changes', () => {
  test('applying the difference to the old plan gives the new one', () => {
    fc.assert(
      fc.property(someAgents, someAgents, fc.nat(40), fc.nat(40), (a, b, countA, countB) => {
        const [before, after] = [planOf(a, countA), planOf(b, countB)];
        const { close, open, update } = diffPlans(before, after);
        const gone = new Set([...close, ...update].map((one) => one.deviceNo));
        const applied = [...before.filter((one) => !gone.has(one.deviceNo)), ...open, ...update];
        expect(applied.sort((x, y) => x.deviceNo - y.deviceNo)).toEqual(after);
      }),
    );
  });

  test('an unchanged plan changes nothing', () => {
    const plan = planOf(agentsOf(1, 2), 50);
    expect(diffPlans(plan, planOf(agentsOf(1, 2), 50))).toEqual({ close: [], open: [], update: [] });
  });
});

test('schedule offsets lie inside the interval and are spread evenly', () => {
  const intervalMs = 60_000;
  const buckets = Array.from({ length: 60 }, () => 0);
  for (let deviceNo = 1; deviceNo <= 60_000; deviceNo += 1) {
    const phase = scheduleOffsetMs(deviceNo, intervalMs);
    expect(phase).toBeGreaterThanOrEqual(0);
    expect(phase).toBeLessThan(intervalMs);
    const at = Math.floor(phase / 1000);
    buckets[at] = (buckets[at] ?? 0) + 1;
  }
  expect(Math.min(...buckets)).toBeGreaterThan(850);
  expect(Math.max(...buckets)).toBeLessThan(1_150);
});
