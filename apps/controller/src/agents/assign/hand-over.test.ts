import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Assignment, diffPlans, planLocation } from './assignment-plan.ts';
import { type CandidateAgent, eligibleAgents } from './eligible.ts';
import { noticeUs, type PresentAssignment, timeChange } from './hand-over.ts';

const here = 1;
const second = 1_000_000;
const startUs = 1_700_000_000 * second;
const graceUs = 35 * second;
const base = { deviceNo: 7, rotationIndex: 0, rotationSize: 1, retriesLocally: false, runImmediately: true };
const by = (agentNo: number, more: Partial<Assignment> = {}): Assignment => ({ ...base, agentNo, ...more });
const since = (assignment: Assignment, fromUs: number): PresentAssignment => ({ ...assignment, fromUs });

test.each<
  [string, PresentAssignment[], Assignment[], { ends?: number; begins?: number; handedOver?: boolean }]
>([
  ['a new device begins at once', [], [by(1)], { begins: 0, handedOver: false }],
  ['a device that is gone ends at once', [since(by(1), startUs - second)], [], { ends: 0 }],
  [
    'the same agent gets its new place in the rotation at once',
    [since(by(1), startUs - second)],
    [by(1, { rotationSize: 2 })],
    { ends: 0, begins: 0, handedOver: false },
  ],
  [
    'a connected agent hands over after the notice',
    [since(by(1), startUs - second)],
    [by(2)],
    { ends: noticeUs, begins: noticeUs, handedOver: true },
  ],
  [
    'an agent that is away loses its devices at once',
    [since(by(9), startUs - second)],
    [by(2)],
    { ends: 0, begins: 0, handedOver: false },
  ],
  [
    'while a hand-over is under way, the next one begins after its own notice',
    [since(by(1), startUs + second)],
    [by(2)],
    { ends: noticeUs, begins: noticeUs, handedOver: true },
  ],
  [
    'an agent that went away before its hand-over never has the device',
    [since(by(9), startUs + second)],
    [by(2)],
    { ends: second, begins: second, handedOver: true },
  ],
])('%s', (_title, present, wanted, { ends, begins, handedOver }) => {
  const change = diffPlans(present, wanted);
  const { close, open } = timeChange(change, { connected: new Set([1, 2]), nowUs: startUs });
  expect(close.map(({ atUs }) => atUs - startUs)).toEqual(ends === undefined ? [] : [ends]);
  expect(open.map((one) => [one.atUs - startUs, one.handedOver])).toEqual(
    begins === undefined ? [] : [[begins, handedOver]],
  );
});

interface Held {
  readonly assignment: Assignment;
  readonly fromUs: number;
  toUs: number | null;
}

const agentNo = fc.integer({ min: 1, max: 4 });
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(40_000) }) },
  fc.record({ kind: fc.constant('connect' as const), agentNo }),
  fc.record({ kind: fc.constant('kill' as const), agentNo }),
  fc.record({ kind: fc.constant('leave' as const), agentNo }),
  fc.record({ kind: fc.constant('add' as const) }),
  fc.record({ kind: fc.constant('remove' as const), deviceNo: fc.integer({ min: 1, max: 8 }) }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/**
 * A Location whose agents come, leave and are killed, and whose planner plans every second. The spans are a plain list.
 */
function createModel() {
  let nowUs = startUs;
  const agents = new Map<
    number,
    { connected: boolean; isLeaving: boolean; awayUs: number | null; connects: number[] }
  >();
  const devices = new Map<number, number>();
  const planned = new Map<number, number>();
  const spans: Held[] = [];
  const open = () => spans.filter(({ toUs }) => toUs === null);

  const candidates = (): CandidateAgent[] =>
    [...agents].map(([no, one]) => ({
      agentNo: no,
      capacity: 100,
      connected: one.connected,
      isLeaving: one.isLeaving,
      connectedUs: one.connects.at(-1) ?? 0,
      awaySinceUs: one.awayUs,
      recentConnects: one.connects.filter((atUs) => atUs > nowUs - 600 * second).length,
      isAssigned: open().some(({ assignment }) => assignment.agentNo === no),
    }));
  const plan = () => {
    const all = candidates();
    const eligible = eligibleAgents(all, { nowUs, graceUs });
    if (eligible.length === 0) return;
    const present = open().map(({ assignment, fromUs }) => ({ ...assignment, fromUs }));
    const next = planLocation({
      locationNo: here,
      agents: eligible,
      devices: [...devices].map(([deviceNo, changedUs]) => ({ deviceNo, changedUs, locationNos: [here] })),
      online: new Set([here]),
      connected: new Set([here]),
      assignedAgents: new Map(present.map((one) => [one.deviceNo, one.agentNo])),
      nowUs,
    });
    const connected = new Set(all.flatMap((one) => (one.connected ? one.agentNo : [])));
    const change = timeChange(diffPlans(present, next), { connected, nowUs });
    for (const { deviceNo, atUs } of change.close) {
      const held = open().find(({ assignment }) => assignment.deviceNo === deviceNo);
      if (held === undefined) throw new Error('no span to end');
      if (atUs <= held.fromUs) spans.splice(spans.indexOf(held), 1);
      else held.toUs = atUs;
    }
    for (const { atUs, handedOver: _handedOver, ...assignment } of change.open) {
      spans.push({ assignment, fromUs: atUs, toUs: null });
      planned.set(assignment.deviceNo, planned.get(assignment.deviceNo) ?? atUs);
    }
    expectOwners(all);
  };
  /**
   * After a plan no device has an agent that is gone for longer than the grace time, or that leaves, where another one
   * is connected.
   */
  const expectOwners = (all: readonly CandidateAgent[]) => {
    const staying = all.filter((one) => one.connected && !one.isLeaving);
    for (const { assignment } of open()) {
      const owner = all.find((one) => one.agentNo === assignment.agentNo);
      const isHere = owner?.connected === true && !owner.isLeaving;
      const isInGrace = owner?.awaySinceUs != null && nowUs - owner.awaySinceUs < graceUs;
      expect(isHere || isInGrace || staying.length === 0).toBe(true);
    }
    expect(new Set(open().map(({ assignment }) => assignment.deviceNo))).toEqual(new Set(devices.keys()));
  };
  const apply: { readonly [K in Command['kind']]: (one: Extract<Command, { kind: K }>) => void } = {
    wait({ ms }) {
      const untilUs = nowUs + ms * 1000;
      while (nowUs < untilUs) {
        nowUs = Math.min(untilUs, nowUs + second);
        plan();
      }
    },
    connect({ agentNo: no }) {
      const connects = [...(agents.get(no)?.connects ?? []), nowUs];
      agents.set(no, { connected: true, isLeaving: false, awayUs: null, connects });
    },
    kill({ agentNo: no }) {
      const one = agents.get(no);
      if (one?.connected) agents.set(no, { ...one, connected: false, awayUs: nowUs });
    },
    leave({ agentNo: no }) {
      const one = agents.get(no);
      if (one?.connected) agents.set(no, { ...one, isLeaving: true });
    },
    add() {
      devices.set(devices.size + planned.size + 1, nowUs);
    },
    remove({ deviceNo }) {
      devices.delete(deviceNo);
    },
  };
  const step = <K extends Command['kind']>(one: Extract<Command, { kind: K }>) =>
    apply[one.kind](one as never);
  return { step, plan, spans, planned, devices };
}

test('whatever agents do, every device has exactly one agent at each time, and none of an agent that is gone', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      const { step, plan, spans, planned } = createModel();
      for (const agent of [1, 2]) step({ kind: 'connect', agentNo: agent });
      for (let i = 0; i < 5; i += 1) step({ kind: 'add' });
      plan();
      for (const one of commands) {
        step(one);
        plan();
      }
      for (const [deviceNo, firstUs] of planned) {
        const own = spans
          .filter(({ assignment }) => assignment.deviceNo === deviceNo)
          .sort((a, b) => a.fromUs - b.fromUs);
        // Each span begins where the one before ends: no gap and no second agent.
        let endUs: number | null = firstUs;
        for (const span of own) {
          expect(span.fromUs).toBe(endUs);
          endUs = span.toUs;
        }
      }
    }),
  );
});

test('agents of equal capacity have equal shares, and one that comes gets its share from all of them and moves nothing else', () => {
  const agentNos = fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 2, maxLength: 6 });
  const devices = Array.from({ length: 600 }, (_, i) => ({
    deviceNo: i + 1,
    locationNos: [here],
    changedUs: 0,
  }));
  const planOf = (agents: readonly number[]) =>
    planLocation({
      locationNo: here,
      agents: agents.map((no) => ({ agentNo: no, capacity: 100, awaySinceUs: null })),
      devices,
      online: new Set([here]),
      connected: new Set([here]),
      assignedAgents: new Map(),
      nowUs: startUs,
    });
  fc.assert(
    fc.property(agentNos, (all) => {
      const [newcomer = 0, ...others] = all;
      const after = planOf(all);
      const share = 1 / all.length;
      const deviation = Math.sqrt(devices.length * share * (1 - share));
      for (const no of all) {
        const own = after.filter((one) => one.agentNo === no).length;
        expect(Math.abs(own - devices.length * share)).toBeLessThan(6 * deviation);
      }
      const moved = diffPlans(planOf(others), after).open.filter((one) => one.agentNo !== newcomer);
      expect(others.length === 1 ? [] : moved).toEqual([]);
    }),
  );
});
