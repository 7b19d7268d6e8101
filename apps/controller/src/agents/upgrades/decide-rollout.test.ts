import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideRollout, type RolloutAgent, rolloutStage, type UpgradeState } from './decide-rollout.ts';

const minuteUs = 60_000_000;
const nowUs = 1_000 * minuteUs;
const agent = (agentNo: number, state: UpgradeState, more: Partial<RolloutAgent> = {}): RolloutAgent => ({
  agentNo,
  name: `a${agentNo}`,
  state,
  reason: null,
  isConnected: true,
  changedUs: nowUs,
  ...more,
});
const agents = (...states: readonly (readonly [count: number, state: UpgradeState])[]) =>
  states
    .flatMap(([count, state]) => Array.from({ length: count }, () => state))
    .map((state, i) => agent(i, state));
const started = (all: readonly RolloutAgent[]) => {
  const decision = decideRollout(all, nowUs);
  return decision.kind === 'go-on' ? decision.start.length : decision.kind;
};

describe('of a hundred agents', () => {
  test.each([
    ['none began', 1, agents([100, 'Waiting'])],
    ['the first one restarts', 0, agents([1, 'Restarting'], [99, 'Waiting'])],
    ['the first one is done', 9, agents([1, 'Done'], [99, 'Waiting'])],
    ['a part of the tenth is done', 0, agents([5, 'Done'], [5, 'Started'], [90, 'Waiting'])],
    ['the tenth is done', 20, agents([10, 'Done'], [90, 'Waiting'])],
    ['twenty upgrade', 0, agents([10, 'Done'], [20, 'Downloading'], [70, 'Waiting'])],
    ['some of the half are done', 15, agents([25, 'Done'], [5, 'Started'], [70, 'Waiting'])],
    ['the half is begun', 0, agents([40, 'Done'], [10, 'Started'], [50, 'Waiting'])],
    ['the half is done', 20, agents([50, 'Done'], [50, 'Waiting'])],
    ['all are done', 'done', agents([100, 'Done'])],
    ['one failed', 'stop', agents([30, 'Done'], [1, 'Failed'], [69, 'Waiting'])],
  ])('when %s, it is: %s', (_, expected, all) => {
    expect(started(all)).toBe(expected);
  });
});

test.each([
  ['none began', { stage: 1, mayBegin: 1 }, agents([100, 'Waiting'])],
  ['the first one is done', { stage: 2, mayBegin: 10 }, agents([1, 'Done'], [99, 'Waiting'])],
  ['the tenth is done', { stage: 3, mayBegin: 50 }, agents([10, 'Done'], [90, 'Waiting'])],
  ['the half is done', { stage: 4, mayBegin: 100 }, agents([50, 'Done'], [50, 'Waiting'])],
  ['all are done', { stage: 4, mayBegin: 100 }, agents([100, 'Done'])],
  ['two agents: the first is done', { stage: 4, mayBegin: 2 }, agents([1, 'Done'], [1, 'Waiting'])],
])('the stage when %s', (_, expected, all) => {
  expect(rolloutStage(all)).toEqual(expected);
});

test('an agent that is not connected does not hold up the others, and begins when it is back', () => {
  const away = agent(9, 'Waiting', { isConnected: false });
  expect(started([agent(1, 'Done'), away])).toBe(0);
  expect(started([agent(1, 'Done'), { ...away, isConnected: true }])).toBe(1);
  expect(started([agent(1, 'Done'), agent(2, 'Stopped')])).toBe('done');
});

test('the reason of a stop names the agent and what it said', () => {
  const failed = agent(3, 'Failed', { reason: 'the disk is full' });
  expect(decideRollout([failed], nowUs)).toEqual({
    kind: 'stop',
    reason: 'agent a3 failed: the disk is full',
  });
});

test.each([
  ['Started', 40],
  ['Downloading', 40],
  ['Restarting', 10],
] as const)('an agent that is %s for more than %i minutes is overdue', (state, minutes) => {
  const since = (changedUs: number) => decideRollout([agent(1, state, { changedUs })], nowUs).kind;
  expect(since(nowUs - minutes * minuteUs)).toBe('go-on');
  expect(since(nowUs - minutes * minuteUs - 1)).toBe('overdue');
});

test('whatever becomes of the agents, a share begins only when the one before is done, and nothing begins after a failure', () => {
  const outcome = fc.constantFrom<UpgradeState>('Done', 'Done', 'Done', 'Failed', 'Restarting');
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 120 }),
      fc.array(outcome, { maxLength: 400 }),
      (count, outcomes) => {
        let all: readonly RolloutAgent[] = agents([count, 'Waiting']);
        for (const next of outcomes) {
          const decision = decideRollout(all, nowUs);
          const done = all.filter(({ state }) => state === 'Done').length;
          if (decision.kind === 'stop') expect(all.some(({ state }) => state === 'Failed')).toBe(true);
          if (decision.kind === 'done') expect(done).toBe(count);
          expect(decision.kind, 'nobody is late here').not.toBe('overdue');
          if (decision.kind !== 'go-on') return;
          const begun = all.filter(({ state }) => state !== 'Waiting').length + decision.start.length;
          const shares = [1, Math.ceil(count / 10), Math.ceil(count / 2), count];
          expect(begun).toBeLessThanOrEqual(shares.find((share) => share > done) ?? count);
          expect(begun - done).toBeLessThanOrEqual(20);
          all = all.map((one) => (decision.start.includes(one.agentNo) ? { ...one, state: 'Started' } : one));
          const working = all.find(({ state }) => state === 'Started' || state === 'Restarting');
          expect(working).toBeDefined();
          all = all.map((one) => (one === working ? { ...one, state: next } : one));
        }
      },
    ),
  );
});
