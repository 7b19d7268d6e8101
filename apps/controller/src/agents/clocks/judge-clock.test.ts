import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentsWord } from './agents-word.ts';
import {
  type ClockFacts,
  chooseCorrection,
  correctionAtStart,
  judgeClock,
  type StoredTime,
} from './judge-clock.ts';
import { simulateClocks } from './testing/simulate-clocks.ts';

const minuteUs = 60_000_000;
const hourUs = 60 * minuteUs;
const dayUs = 24 * hourUs;
const nowUs = 1_800_000_000_000_000;

/** A single machine whose database agrees. */
const quiet: ClockFacts = {
  databaseAheadUs: 0,
  correctionUs: 0,
  isDecided: false,
  machineAheadUs: 0,
  isApart: false,
  agentsAheadUs: undefined,
  stored: undefined,
  differsForMs: 0,
};
/** The clock of the machine and its database was set by an hour; controllers stored the time a while ago. */
const set = (us: number, more: Partial<ClockFacts> = {}): Partial<ClockFacts> => ({
  databaseAheadUs: us,
  machineAheadUs: us,
  ...more,
});
/** Only the database's clock was set. */
const other = (us: number, more: Partial<ClockFacts> = {}): Partial<ClockFacts> => ({
  databaseAheadUs: us,
  isApart: true,
  ...more,
});
const long = { differsForMs: 300_000 };

const rows: readonly (readonly [string, Partial<ClockFacts>, number])[] = [
  ['all clocks agree', {}, 0],
  ['the database is a minute ahead', { databaseAheadUs: minuteUs }, 0],
  ["the machine's clock is 60 days ahead", { machineAheadUs: 60 * dayUs }, 0],
  ['the clock was set and no other clock is known', set(-hourUs), hourUs],
  ['as before, five minutes ago', set(-hourUs, long), 0],
  [
    'as before, and it is behind what was stored',
    set(-hourUs, { ...long, stored: { agreedUs: 0, seenUs: 0 } }),
    hourUs,
  ],
  ["the database's clock was set, this machine's was not", other(hourUs, long), -hourUs],
  [
    "the database's clock was corrected, as this machine's says",
    other(hourUs, { machineAheadUs: hourUs }),
    0,
  ],
  ['agents agree with the time before', set(hourUs, { ...long, agentsAheadUs: 0 }), -hourUs],
  [
    "agents agree with the database, this machine's clock does not",
    other(hourUs, { agentsAheadUs: hourUs }),
    0,
  ],
  ['agents agree with no clock', set(hourUs, { ...long, agentsAheadUs: -dayUs }), 0],
  [
    'this machine was stopped for two hours, and other controllers were not',
    other(2 * hourUs, { stored: { agreedUs: 0, seenUs: 2 * hourUs - 30_000_000 } }),
    0,
  ],
  ['another controller decided', other(hourUs, { correctionUs: -hourUs, isDecided: true }), -hourUs],
  ['the correction goes on', other(hourUs + 5, { correctionUs: -hourUs }), -hourUs],
  ["the database's clock is right again", other(5, { correctionUs: -hourUs }), 0],
  ["the database's clock was set again", other(2 * hourUs, { correctionUs: -hourUs }), -2 * hourUs],
];

test.each(rows)('running: %s', (_, facts, correctionUs) => {
  expect(chooseCorrection({ ...quiet, ...facts })).toBe(correctionUs === 0 ? 0 : correctionUs);
});

const stored = (agoUs: number): StoredTime => ({ agreedUs: nowUs - agoUs, seenUs: nowUs - agoUs });
type Start = Parameters<typeof correctionAtStart>[0];
const starts: readonly (readonly [string, Partial<Start>, number])[] = [
  ['nothing was stored', { databaseUs: nowUs + dayUs }, 0],
  ['the machine is wrong', { machineUs: nowUs - 60 * dayUs, stored: stored(hourUs) }, 0],
  ['the database is an hour ahead', { databaseUs: nowUs + hourUs, stored: stored(hourUs) }, 0],
  ['the database is an hour behind', { databaseUs: nowUs - hourUs, stored: stored(0) }, hourUs],
  ['the database is 60 days ahead', { databaseUs: nowUs + 60 * dayUs, stored: stored(hourUs) }, -60 * dayUs],
  ['the database is 60 days behind', { databaseUs: nowUs - 60 * dayUs, stored: stored(hourUs) }, 60 * dayUs],
  [
    'a machine alone is 60 days behind',
    { databaseUs: nowUs - 60 * dayUs, machineUs: nowUs - 60 * dayUs, stored: stored(0) },
    60 * dayUs,
  ],
  [
    'a machine alone is 60 days ahead, or was off',
    { databaseUs: nowUs + 60 * dayUs, machineUs: nowUs + 60 * dayUs, stored: stored(0) },
    0,
  ],
  [
    'other controllers correct the database',
    { databaseUs: nowUs + hourUs, correctionUs: -hourUs, stored: stored(30_000_000) },
    -hourUs,
  ],
  [
    'controllers corrected the database before they ended, and it is right again',
    { correctionUs: -hourUs, stored: stored(2 * hourUs) },
    0,
  ],
];

test.each(starts)('start: %s', (_, facts, correctionUs) => {
  const right = { databaseUs: nowUs, machineUs: nowUs, correctionUs: 0, stored: undefined };
  expect(correctionAtStart({ ...right, ...facts })).toBe(correctionUs);
});

const verdicts = {
  correctionUs: 0,
  machineAheadUs: 0,
  isApart: false,
  agents: agentsWord([], 0),
  gapUs: undefined,
};
const says = (aheadUs: number, accountsInAll = 1) => ({
  agents: agentsWord([{ accountNo: 1, aheadUs }], accountsInAll),
});
test.each<[string, Partial<Parameters<typeof judgeClock>[0]>, string]>([
  ['no other clock is known', {}, 'agrees'],
  ["another machine's database agrees", { isApart: true }, 'confirmed'],
  ['agents agree', says(0), 'confirmed'],
  [
    'the database is corrected',
    { correctionUs: -5 * hourUs },
    "the database's clock is 5 h ahead of the controller's",
  ],
  [
    "the machine's clock is wrong",
    { machineAheadUs: -hourUs },
    "this machine's clock is 60 min behind the database's",
  ],
  ['most agents disagree', says(-60 * dayUs), "the clocks of the agents are 60 days behind the database's"],
  ['the agents of one account of three disagree', says(-60 * dayUs, 3), 'agrees'],
  [
    'a leap since the last run',
    { gapUs: 60 * dayUs },
    'the clock is 60 days after the last time that was stored',
  ],
  ['a leap that agents confirm', { gapUs: 60 * dayUs, ...says(0) }, 'confirmed'],
])('verdict: %s', (_, facts, said) => {
  const verdict = judgeClock({ ...verdicts, ...facts });
  const short = verdict.kind === 'agrees' ? (verdict.isConfirmed ? 'confirmed' : 'agrees') : verdict.text;
  expect(short).toContain(said);
});

const wrongBy = fc.oneof(
  fc.integer({ min: -60 * dayUs, max: 60 * dayUs }),
  fc.constantFrom(-hourUs, hourUs, -60 * dayUs, 60 * dayUs, 25_000_000, -50_000_000),
);
const fault = fc.record({
  whose: fc.constantFrom('database', 'machine 0', 'machine 1', 'agents'),
  byUs: wrongBy,
  forTicks: fc.integer({ min: 1, max: 60 }),
  restarts: fc.option(fc.constantFrom(0, 1), { nil: undefined }),
});

test('property: while one clock at a time is wrong, two controllers keep the true time to a minute', () => {
  fc.assert(
    fc.property(fc.array(fault, { minLength: 1, maxLength: 5 }), (faults) => {
      const { worstErrorUs, worstDifferenceUs } = simulateClocks(faults);
      expect(worstErrorUs).toBeLessThanOrEqual(minuteUs);
      expect(worstDifferenceUs).toBeLessThanOrEqual(minuteUs);
    }),
    { numRuns: 500 },
  );
});

const anyUs = fc.oneof(fc.integer({ min: -minuteUs, max: minuteUs }), fc.integer({ min: -1e13, max: 1e13 }));
test('property: the choice is the database, the correction in force or the count, and is stable', () => {
  const facts: fc.Arbitrary<ClockFacts> = fc.record({
    databaseAheadUs: anyUs,
    correctionUs: anyUs,
    isDecided: fc.boolean(),
    machineAheadUs: anyUs,
    isApart: fc.boolean(),
    agentsAheadUs: fc.option(anyUs, { nil: undefined }),
    stored: fc.option(fc.record({ agreedUs: anyUs, seenUs: anyUs }), { nil: undefined }),
    differsForMs: fc.nat(1e6),
  });
  fc.assert(
    fc.property(facts, (one) => {
      const chosen = chooseCorrection(one);
      expect([0, one.correctionUs, -one.databaseAheadUs]).toContain(chosen === 0 ? 0 : chosen);
      if (one.isDecided || chosen !== -one.databaseAheadUs) return;
      expect(chooseCorrection({ ...one, correctionUs: chosen })).toBe(chosen);
    }),
    { numRuns: 2000 },
  );
});
