import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { phaseMs } from '../phase.ts';
import { diffPlans, type PlanAgent, planLocation } from './plan.ts';

const here = 1;
const agentsOf = (...capacities: number[]): PlanAgent[] =>
  capacities.map((capacity, i) => ({ agentNo: i + 1, capacity, awaySinceUs: null }));
const devicesOf = (count: number, locationNos = [here]) =>
  Array.from({ length: count }, (_, i) => ({ deviceNo: i + 1, locationNos, changedUs: 0 }));
const nowUs = 1_700_000_000_000_000;
const facts = { locationNo: here, lit: new Set([here]), holders: new Map<number, number>(), nowUs };
const planOf = (agents: readonly PlanAgent[], count: number) =>
  planLocation({ ...facts, agents, devices: devicesOf(count), observing: new Set([here]) });

const someAgents = fc.uniqueArray(
  fc.record({
    agentNo: fc.integer({ min: 1, max: 1e6 }),
    capacity: fc.integer({ min: 1, max: 1e5 }),
    awaySinceUs: fc.constant(null),
  }),
  { minLength: 1, maxLength: 8, selector: (agent) => agent.agentNo },
);

describe('who holds a device', () => {
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

  test('ten thousand devices and eight agents take no time worth a word', () => {
    const start = performance.now();
    planOf(agentsOf(1, 2, 3, 4, 5, 6, 7, 8), 10_000);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test('nobody holds anything where there is no agent', () => {
    expect(planOf([], 10)).toEqual([]);
  });
});

describe('turns', () => {
  const ring = [7, here, 9];
  const turnAt = (locationNo: number, observing: readonly number[]) =>
    planLocation({
      ...facts,
      locationNo,
      agents: agentsOf(1),
      devices: devicesOf(1, ring),
      observing: new Set(observing),
    })[0];

  test('every observing Location has a turn of its own, and the first one looks first', () => {
    fc.assert(
      fc.property(fc.subarray(ring, { minLength: 1 }), (observing) => {
        const turns = observing.map((locationNo) => turnAt(locationNo, observing));
        expect(turns.map((one) => one?.turn)).toEqual(observing.map((_, i) => i));
        expect(new Set(turns.map((one) => one?.turns))).toEqual(new Set([observing.length]));
        expect(turns.filter((one) => one?.firstLook)).toHaveLength(1);
        expect(turns.every((one) => one?.runsChain === (observing.length === 1))).toBe(true);
      }),
    );
  });

  test('a blind Location is passed over, and its return gives it its turn back', () => {
    expect(turnAt(9, [7, 9])).toMatchObject({ turn: 1, turns: 2, runsChain: false, firstLook: false });
    expect(turnAt(9, [here, 7, 9])).toMatchObject({ turn: 2, turns: 3 });
  });

  test('a Location with an agent takes its turn before it is told to observe', () => {
    expect(turnAt(here, [])).toMatchObject({ turn: 0, turns: 1, runsChain: true, firstLook: true });
  });
});

describe('an agent that is away for a moment', () => {
  const minuteUs = 60_000_000;
  const agents = [
    { agentNo: 1, capacity: 100, awaySinceUs: nowUs - minuteUs / 2 },
    { agentNo: 2, capacity: 100, awaySinceUs: null },
  ];
  const before = planOf(agentsOf(100, 100), 100);
  const holders = new Map(before.map((one) => [one.deviceNo, one.agentNo]));
  const plan = (changedUs: number, held = holders) =>
    planLocation({
      ...facts,
      agents,
      observing: new Set([here]),
      holders: held,
      devices: devicesOf(100).map((device) => ({ ...device, changedUs })),
    });

  test('keeps what it knows', () => {
    expect(diffPlans(before, plan(nowUs - minuteUs))).toEqual({ close: [], open: [], tune: [] });
  });

  test.each([
    ['a new device', plan(nowUs - minuteUs, new Map())],
    ['one that changed after it went away', plan(nowUs - minuteUs / 4)],
    ['one that another has meanwhile', plan(0, new Map(before.map((one) => [one.deviceNo, 2])))],
  ])('gets nothing new: %s', (_what, then) => {
    expect(new Set(then.map((one) => one.agentNo))).toEqual(new Set([2]));
  });

  test('a fresh device is looked at first by a Location with an agent that is there', () => {
    const fresh = { deviceNo: 1, locationNos: [7, here] };
    const look = (lit: readonly number[], changedUs: number, locationNo = here) =>
      planLocation({
        ...{ ...facts, locationNo, agents, lit: new Set(lit) },
        observing: new Set([7, here]),
        devices: [{ ...fresh, changedUs }],
      })[0]?.firstLook;
    expect([look([here], nowUs), look([here], nowUs, 7)]).toEqual([true, false]);
    expect([look([7, here], nowUs), look([7, here], nowUs, 7)]).toEqual([false, true]);
    expect([look([here], 0), look([here], 0, 7)]).toEqual([false, true]);
  });
});

test('an agent runs retry chains by itself only where nobody else could', () => {
  expect(new Set(planOf(agentsOf(1), 9).map((one) => one.runsChain))).toEqual(new Set([true]));
  expect(new Set(planOf(agentsOf(1, 1), 9).map((one) => one.runsChain))).toEqual(new Set([false]));
});

describe('changes', () => {
  test('applying the difference to the old plan gives the new one', () => {
    fc.assert(
      fc.property(someAgents, someAgents, fc.nat(40), fc.nat(40), (a, b, countA, countB) => {
        const [before, after] = [planOf(a, countA), planOf(b, countB)];
        const { close, open, tune } = diffPlans(before, after);
        const gone = new Set([...close, ...tune].map((one) => one.deviceNo));
        const applied = [...before.filter((one) => !gone.has(one.deviceNo)), ...open, ...tune];
        expect(applied.sort((x, y) => x.deviceNo - y.deviceNo)).toEqual(after);
      }),
    );
  });

  test('an unchanged plan changes nothing', () => {
    const plan = planOf(agentsOf(1, 2), 50);
    expect(diffPlans(plan, planOf(agentsOf(1, 2), 50))).toEqual({ close: [], open: [], tune: [] });
  });
});

test('phases lie inside the interval and are spread evenly', () => {
  const intervalMs = 60_000;
  const buckets = Array.from({ length: 60 }, () => 0);
  for (let deviceNo = 1; deviceNo <= 60_000; deviceNo += 1) {
    const phase = phaseMs(deviceNo, intervalMs);
    expect(phase).toBeGreaterThanOrEqual(0);
    expect(phase).toBeLessThan(intervalMs);
    const at = Math.floor(phase / 1000);
    buckets[at] = (buckets[at] ?? 0) + 1;
  }
  expect(Math.min(...buckets)).toBeGreaterThan(850);
  expect(Math.max(...buckets)).toBeLessThan(1_150);
});
