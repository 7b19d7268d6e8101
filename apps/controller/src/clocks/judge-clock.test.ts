import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ClockEvidence, judgeClock } from './judge-clock.ts';

const minuteUs = 60_000_000;
const hourUs = 60 * minuteUs;
const dayUs = 24 * hourUs;
const quiet: ClockEvidence = {
  held: undefined,
  databaseAheadUs: undefined,
  agentsAheadUs: [],
  storedAheadUs: undefined,
};
const back = { wallAheadUs: -hourUs, forMs: 32_000 };
const rows: readonly (readonly [string, Partial<ClockEvidence>, string])[] = [
  ['no other clock is known', {}, 'agrees'],
  ['all clocks are within a minute', { databaseAheadUs: minuteUs, agentsAheadUs: [-minuteUs, 0] }, 'agrees'],
  ['the clock was set and nobody knows better', { held: back }, 'wrong'],
  [
    'the clock was set five minutes ago and nobody knows better',
    { held: { ...back, forMs: 300_000 } },
    'follow',
  ],
  [
    'the agents agree with the time before',
    { held: { ...back, forMs: 86_400_000 }, agentsAheadUs: [0, 1] },
    'wrong',
  ],
  ['the agents agree with the new time', { held: back, agentsAheadUs: [-hourUs, -hourUs + 5] }, 'follow'],
  ['the database agrees with the new time', { held: back, databaseAheadUs: -hourUs }, 'follow'],
  [
    'the database agrees with the time before',
    { held: { ...back, forMs: 300_000 }, databaseAheadUs: 0 },
    'wrong',
  ],
  ['the database is an hour behind', { databaseAheadUs: -hourUs }, 'wrong'],
  ['all agents are 60 days behind', { agentsAheadUs: [-60 * dayUs, -60 * dayUs, -60 * dayUs] }, 'wrong'],
  ['one account of three is 60 days behind', { agentsAheadUs: [-60 * dayUs, 0, 0] }, 'agrees'],
  ['the agents are apart in both directions', { agentsAheadUs: [-dayUs, dayUs] }, 'agrees'],
  ['what was stored is a day ahead', { storedAheadUs: dayUs }, 'wrong'],
  ['what was stored is a day old', { storedAheadUs: -dayUs }, 'agrees'],
  ['a result of five minutes ahead was stored', { storedAheadUs: 5 * minuteUs }, 'agrees'],
];

test.each(rows)('%s: %o is %s', (_, evidence, kind) => {
  expect(judgeClock({ ...quiet, ...evidence }).kind).toBe(kind);
});

test('the sentence names the clock, the direction and the amount', () => {
  const textOf = (evidence: Partial<ClockEvidence>) => {
    const verdict = judgeClock({ ...quiet, ...evidence });
    return verdict.kind === 'wrong' ? verdict.text : '';
  };
  expect(textOf({ held: back })).toContain('set back by 60 min while the controller ran');
  expect(textOf({ agentsAheadUs: [-60 * dayUs] })).toContain(
    "agents are 60 days behind that of this machine's",
  );
  expect(textOf({ databaseAheadUs: 5 * hourUs })).toContain(
    "database's clock is 5 h ahead of this machine's",
  );
});

test('property: fewer than half of the accounts never decide', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1e13, max: 1e13 }), { maxLength: 20 }),
      fc.array(fc.integer({ min: -minuteUs, max: minuteUs }), { minLength: 21, maxLength: 40 }),
      (strange, right) => {
        const agentsAheadUs = [...strange, ...right];
        expect(judgeClock({ ...quiet, agentsAheadUs }).kind).toBe('agrees');
        expect(judgeClock({ ...quiet, agentsAheadUs, held: back }).kind).toBe('wrong');
      },
    ),
  );
});
