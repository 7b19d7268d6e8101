import { expect, test } from 'vitest';
import { type Candidate, eligibleAgents } from './eligible.ts';

const nowUs = 1_700_000_000_000_000;
const second = 1_000_000;

function agent(values: Partial<Candidate>): Candidate {
  return {
    agentNo: 1,
    capacity: 100,
    connected: true,
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

test.each<[string, Candidate, boolean]>([
  ['a connected agent', agent({}), true],
  [
    'a new agent that holds nothing yet',
    agent({ isAssigned: false, recentConnects: 1, connectedUs: nowUs }),
    true,
  ],
  ['one that is away for less than the grace time', away(59), true],
  ['one that is away for the grace time', away(60), false],
  ['one that is away and holds nothing', away(5, false), false],
  [
    'one that flaps and lost its share',
    agent({ isAssigned: false, recentConnects: 3, connectedUs: nowUs }),
    false,
  ],
  ['one that flaps and never lost its share', agent({ recentConnects: 5, connectedUs: nowUs }), true],
  [
    'one that flapped and has been steady for five minutes',
    agent({ isAssigned: false, recentConnects: 3, connectedUs: nowUs - 300 * second }),
    true,
  ],
])('beside a steady agent, %s shares: %#', (_what, candidate, shares) => {
  const numbers = eligibleAgents([steady, candidate], { nowUs, graceUs: 60 * second }).map(
    (one) => one.agentNo,
  );
  expect(numbers).toEqual(shares ? [1, 9] : [9]);
});

test('a flapping agent takes everything when nobody else is there', () => {
  const flapping = agent({ isAssigned: false, recentConnects: 9, connectedUs: nowUs });
  expect(eligibleAgents([flapping, { ...away(100), agentNo: 2 }], { nowUs, graceUs: second })).toEqual([
    { agentNo: 1, capacity: 100, awaySinceUs: null },
  ]);
});

test('who is away says since when, and in compressed time all goes faster', () => {
  const rules = { nowUs, graceUs: second, timeScale: (length: number) => length / 60 };
  const flapped = agent({ isAssigned: false, recentConnects: 3, connectedUs: nowUs - 5 * second });
  expect(eligibleAgents([steady, flapped], rules)).toHaveLength(2);
  const one = { ...away(0.5), agentNo: 2 };
  expect(eligibleAgents([steady, one], rules)[0]).toMatchObject({ awaySinceUs: nowUs - second / 2 });
});

test('nobody is chosen when nobody is connected, not even within the grace time', () => {
  expect(eligibleAgents([away(5)], { nowUs, graceUs: 60 * second })).toEqual([]);
});
