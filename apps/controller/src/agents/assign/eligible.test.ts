import { expect, test } from 'vitest';
import { type CandidateAgent, eligibleAgents } from './eligible.ts';

const nowUs = 1_700_000_000_000_000;
const second = 1_000_000;

function agent(values: Partial<CandidateAgent>): CandidateAgent {
  return {
    agentNo: 1,
    capacity: 100,
    connected: true,
    isLeaving: false,
    connectedUs: nowUs - 3_600 * second,
    awaySinceUs: null,
    recentConnects: 0,
    isAssigned: true,
    ...values,
  };
}
const steady = agent({ agentNo: 9 });
const away = (seconds: number, isAssigned = true) =>
  agent({ connected: false, awaySinceUs: nowUs - seconds * second, isAssigned });

test.each<[string, CandidateAgent, boolean]>([
  ['a connected agent', agent({}), true],
  [
    'a new agent that holds nothing yet',
    agent({ isAssigned: false, recentConnects: 1, connectedUs: nowUs }),
    true,
  ],
  ['one that is away for less than the grace time', away(59), true],
  ['one that is away for the grace time', away(60), false],
  ['one that is away and holds nothing', away(5, false), false],
  ['one that leaves', agent({ isLeaving: true }), false],
  ['one that left and is away for a moment', { ...away(1), isLeaving: true }, false],
  [
    'a flapping agent that lost its share',
    agent({ isAssigned: false, recentConnects: 3, connectedUs: nowUs }),
    false,
  ],
  ['one that flaps and never lost its share', agent({ recentConnects: 5, connectedUs: nowUs }), true],
  [
    'an agent that flapped and has been steady for five minutes',
    agent({ isAssigned: false, recentConnects: 3, connectedUs: nowUs - 300 * second }),
    true,
  ],
])('beside a steady agent, %s shares: %#', (_what, candidate, shares) => {
  const numbers = eligibleAgents([steady, candidate], { nowUs, graceUs: 60 * second }).map(
    (one) => one.agentNo,
  );
  expect(numbers).toEqual(shares ? [1, 9] : [9]);
});

test('a flapping agent gets all devices when it is the only agent', () => {
  const flapping = agent({ isAssigned: false, recentConnects: 9, connectedUs: nowUs });
  expect(eligibleAgents([flapping, { ...away(100), agentNo: 2 }], { nowUs, graceUs: second })).toEqual([
    { agentNo: 1, capacity: 100, awaySinceUs: null },
  ]);
});

test('an agent that is away has the time since when, and compressed time shortens all waits', () => {
  const rules = { nowUs, graceUs: second, timeScale: (length: number) => length / 60 };
  const flapped = agent({ isAssigned: false, recentConnects: 3, connectedUs: nowUs - 5 * second });
  expect(eligibleAgents([steady, flapped], rules)).toHaveLength(2);
  const one = { ...away(0.5), agentNo: 2 };
  expect(eligibleAgents([steady, one], rules)[0]).toMatchObject({ awaySinceUs: nowUs - second / 2 });
});

test('an agent that leaves keeps its devices where no other agent is connected', () => {
  const leaving = agent({ isLeaving: true });
  const rules = { nowUs, graceUs: 60 * second };
  expect(eligibleAgents([leaving, { ...away(5), agentNo: 2 }], rules)).toMatchObject([
    { agentNo: 1 },
    { agentNo: 2 },
  ]);
});

test('agents that were away while no controller ran have the grace time from its start on', () => {
  const rules = { nowUs, graceUs: 60 * second };
  const numbers = (startedUs: number) =>
    eligibleAgents([steady, away(3_600)], { ...rules, startedUs }).map((one) => one.agentNo);
  expect(numbers(nowUs - 59 * second)).toEqual([1, 9]);
  expect(numbers(nowUs - 60 * second)).toEqual([9]);
});

test('without a connected agent no agent is chosen, not even within the grace time', () => {
  expect(eligibleAgents([away(5)], { nowUs, graceUs: 60 * second })).toEqual([]);
});
