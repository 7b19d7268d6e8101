import { expect, test } from 'vitest';
import { decideReplica } from './replica-eligibility.ts';

const history = { system: '7', database: '5', timeline: 2 };
const answer = { kind: 'answer', isStandby: true, ...history } as const;
const primary = { ...history, isDistributed: false };
const well = { primary, replica: answer, ageMs: 900, maxAgeMs: 10_000, wasUsed: false };

test.each([
  ['a fresh replica', {}, 'used'],
  ['nobody answered yet', { primary: undefined, replica: undefined }, 'waiting'],
  ['the primary did not answer yet', { primary: undefined }, 'waiting'],
  ['a replica that does not answer', { replica: { kind: 'none', reason: 'x' } as const }, 'away'],
  ['one of a coordinator of Citus', { primary: { ...primary, isDistributed: true } }, 'distributed'],
  ['a promoted one', { replica: { ...answer, isStandby: false, timeline: 3 } }, 'primary'],
  ['one of another server', { replica: { ...answer, system: '8' } }, 'foreign'],
  ['another database', { replica: { ...answer, database: '6' } }, 'foreign'],
  ['one of the old timeline', { replica: { ...answer, timeline: 1 } }, 'timeline'],
  ['one of a newer timeline', { replica: { ...answer, timeline: 3 } }, 'timeline'],
  ['one of unknown age', { ageMs: undefined }, 'behind'],
  ['one that is used and as old as allowed', { ageMs: 10_000, wasUsed: true }, 'used'],
  ['one that is used and too old', { ageMs: 10_001, wasUsed: true }, 'behind'],
  ['one that was behind and is not fresh yet', { ageMs: 5_001 }, 'behind'],
  ['one that was behind and is fresh again', { ageMs: 5_000 }, 'used'],
])('%s', (_, changed, kind) => {
  expect(decideReplica({ ...well, ...changed }).kind).toBe(kind);
});
