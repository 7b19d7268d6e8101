import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ClockEvidence,
  type ClockVerdict,
  classifyClock,
  type DatabaseReading,
} from './classify-clock.ts';

const minuteUs = 60_000_000;
const hourUs = 60 * minuteUs;
const dayUs = 24 * hourUs;
const quiet: ClockEvidence = {
  held: undefined,
  database: undefined,
  agentsAheadUs: [],
  haveAgentsAgreed: false,
  storedAheadUs: undefined,
  gapUs: undefined,
};
const back = { wallAheadUs: -hourUs, forMs: 32_000 };
const long = { wallAheadUs: -hourUs, forMs: 300_000 };
const apart = (aheadUs: number, hasAgreed = false): DatabaseReading => ({
  aheadUs,
  hasAgreed,
  isApart: true,
});
const here = (aheadUs: number, hasAgreed = false): DatabaseReading => ({
  aheadUs,
  hasAgreed,
  isApart: false,
});

/** `set`: the controller's clock moves by so much. `confirmed`: another machine's clock agrees. */
type Outcome = 'agrees' | 'confirmed' | 'unproven' | 'follow' | 'wrong' | { readonly set: number };
function outcomeOf(verdict: ClockVerdict): Outcome {
  if (verdict.kind === 'wrong' && verdict.setByUs !== undefined) return { set: verdict.setByUs };
  return verdict.kind === 'agrees' && verdict.isConfirmed ? 'confirmed' : verdict.kind;
}

const rows: readonly (readonly [string, Partial<ClockEvidence>, Outcome])[] = [
  ['no other clock is known', {}, 'agrees'],
  ['all clocks are within a minute', { database: apart(minuteUs), agentsAheadUs: [0] }, 'confirmed'],
  ['a database on this machine agrees', { database: here(0) }, 'agrees'],
  ['the clock was set and nobody knows better', { held: back }, 'wrong'],
  ['it was set five minutes ago and nobody knows better', { held: long }, 'follow'],
  ['as before, and it is behind what was stored', { held: long, storedAheadUs: 0 }, 'wrong'],
  ['the agents agree with the time before', { held: long, agentsAheadUs: [0, 1] }, 'wrong'],
  [
    'the agents agree with the new time, as they always did',
    { held: back, agentsAheadUs: [-hourUs] },
    'follow',
  ],
  [
    'the agents were set together with this machine',
    { held: back, agentsAheadUs: [-hourUs], haveAgentsAgreed: true },
    'wrong',
  ],
  [
    'the database agrees with the new time, as it always did',
    { held: back, database: apart(-hourUs) },
    'follow',
  ],
  [
    'the database was set together with this machine',
    { held: back, database: apart(-hourUs, true) },
    'wrong',
  ],
  ['the database of this machine agrees with the new time', { held: back, database: here(-hourUs) }, 'wrong'],
  [
    'the database agrees with the new time, the agents with the time before',
    { held: long, database: apart(-hourUs), agentsAheadUs: [0] },
    'wrong',
  ],
  ['the database agrees with the time before', { held: long, database: here(0, true) }, 'wrong'],
  ['the database is an hour behind at the start', { database: here(-hourUs) }, { set: -hourUs }],
  [
    'the clock is 60 days ahead of the database and of what was stored',
    { database: here(-60 * dayUs), storedAheadUs: -60 * dayUs },
    { set: -60 * dayUs },
  ],
  [
    'the clock is 60 days behind the database and what was stored',
    { database: here(60 * dayUs), storedAheadUs: 60 * dayUs },
    { set: 60 * dayUs },
  ],
  [
    'the database is 60 days behind what was stored',
    { database: apart(-60 * dayUs), storedAheadUs: -1 },
    'wrong',
  ],
  [
    'the database is 60 days ahead of what was stored',
    { database: apart(60 * dayUs), storedAheadUs: -1 },
    'wrong',
  ],
  [
    'the database is an hour behind, the agents are not',
    { database: apart(-hourUs), agentsAheadUs: [0] },
    'wrong',
  ],
  ['the database was set while the controller ran', { database: apart(-hourUs, true) }, 'wrong'],
  ['all agents are 60 days behind', { agentsAheadUs: [-60 * dayUs, -60 * dayUs, -60 * dayUs] }, 'wrong'],
  ['one account of three is 60 days behind', { agentsAheadUs: [-60 * dayUs, 0, 0] }, 'confirmed'],
  ['the agents are apart in both directions', { agentsAheadUs: [-dayUs, dayUs] }, 'agrees'],
  ['what was stored is a day ahead', { storedAheadUs: dayUs }, { set: dayUs }],
  ['it is, and agents agree with this clock', { storedAheadUs: dayUs, agentsAheadUs: [0] }, 'confirmed'],
  ['what was stored is a day old', { storedAheadUs: -dayUs }, 'agrees'],
  ['what was stored is five minutes ahead', { storedAheadUs: 5 * minuteUs }, 'agrees'],
  ['a leap of 60 days since the last run', { gapUs: 60 * dayUs }, 'unproven'],
  ['a leap that a database elsewhere confirms', { gapUs: 60 * dayUs, database: apart(0) }, 'confirmed'],
];

test.each(rows)('%s: %o is %o', (_, evidence, outcome) => {
  expect(outcomeOf(classifyClock({ ...quiet, ...evidence }))).toEqual(outcome);
});

test('the sentence names the clock, the direction and the amount', () => {
  const textOf = (evidence: Partial<ClockEvidence>) => {
    const verdict = classifyClock({ ...quiet, ...evidence });
    return 'text' in verdict ? verdict.text : '';
  };
  expect(textOf({ held: back })).toContain("this machine's clock is 60 min behind the controller's");
  expect(textOf({ agentsAheadUs: [-60 * dayUs] })).toContain(
    "agents are 60 days behind that of this machine's",
  );
  expect(textOf({ database: apart(5 * hourUs) })).toContain(
    "database's clock is 5 h ahead of this machine's",
  );
  expect(textOf({ gapUs: 60 * dayUs })).toContain('60 days after the last time that was stored');
});

test('property: fewer than half of the accounts never decide', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1e13, max: 1e13 }), { maxLength: 20 }),
      fc.array(fc.integer({ min: -minuteUs, max: minuteUs }), { minLength: 21, maxLength: 40 }),
      (strange, right) => {
        const agentsAheadUs = [...strange, ...right];
        expect(classifyClock({ ...quiet, agentsAheadUs }).kind).toBe('agrees');
        expect(classifyClock({ ...quiet, agentsAheadUs, held: back }).kind).toBe('wrong');
      },
    ),
  );
});

const us = fc.oneof(fc.integer({ min: -minuteUs, max: minuteUs }), fc.integer({ min: -1e13, max: 1e13 }));
const reading = fc.record({ aheadUs: us, isApart: fc.boolean(), hasAgreed: fc.boolean() });
const anyEvidence: fc.Arbitrary<ClockEvidence> = fc.record({
  held: fc.option(fc.record({ wallAheadUs: us, forMs: fc.integer({ min: 0, max: 1e9 }) }), {
    nil: undefined,
  }),
  database: fc.option(reading, { nil: undefined }),
  agentsAheadUs: fc.array(us, { maxLength: 3 }),
  haveAgentsAgreed: fc.boolean(),
  storedAheadUs: fc.option(us, { nil: undefined }),
  gapUs: fc.option(fc.integer({ min: dayUs, max: 1e13 }), { nil: undefined }),
});

test('property: the clock moves only to the time of the database or of what was stored, never to that of agents', () => {
  fc.assert(
    fc.property(anyEvidence, (evidence) => {
      const verdict = classifyClock(evidence);
      if (verdict.kind !== 'wrong' || verdict.setByUs === undefined) return;
      expect([evidence.database?.aheadUs, evidence.storedAheadUs]).toContain(verdict.setByUs);
      expect(Math.abs(verdict.setByUs)).toBeGreaterThan(minuteUs);
    }),
    { numRuns: 2000 },
  );
});

test('property: after the clock moved, the same clocks move it no further', () => {
  fc.assert(
    fc.property(anyEvidence, (evidence) => {
      const verdict = classifyClock(evidence);
      if (verdict.kind !== 'wrong' || verdict.setByUs === undefined) return;
      const byUs = verdict.setByUs;
      const wallAheadUs = (evidence.held?.wallAheadUs ?? 0) - byUs;
      if (Math.abs(wallAheadUs) <= minuteUs) return;
      const { database } = evidence;
      const next = classifyClock({
        ...evidence,
        held: { wallAheadUs, forMs: 0 },
        database: database && { ...database, aheadUs: database.aheadUs - byUs, hasAgreed: false },
        agentsAheadUs: [],
        storedAheadUs: evidence.storedAheadUs === undefined ? undefined : evidence.storedAheadUs - byUs,
      });
      expect('setByUs' in next).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test('property: with no other clock, one that is behind what was stored is never taken over', () => {
  fc.assert(
    fc.property(us, fc.integer({ min: 400_000_000, max: 1e13 }), fc.nat(1e9), (wallAheadUs, byUs, forMs) => {
      const storedAheadUs = wallAheadUs + byUs;
      const verdict = classifyClock({ ...quiet, held: { wallAheadUs, forMs }, storedAheadUs });
      expect(verdict.kind).toBe('wrong');
    }),
  );
});
