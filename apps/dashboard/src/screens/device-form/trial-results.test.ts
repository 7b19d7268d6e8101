import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barParts, failedLine, type LocationTrial, outcomesOf, type TrialRecord } from './trial-results.ts';

const record = (ResultCode: number, change: Partial<TrialRecord> = {}) =>
  ({ ResultCode, DNSTime: 0, ConnectTime: 0, SSLTime: 0, TTFB: 0, TTLB: 0, ...change }) as TrialRecord;
const done = (code: number): LocationTrial => ({ state: 'done', record: record(code) });

test('Locations by their outcome', () => {
  const trials = new Map<string, LocationTrial>([
    ['Oslo', done(1)],
    ['Rome', done(2)],
    ['Bern', done(9)],
    ['Paris', { state: 'refused', reason: 'no agent' }],
  ]);
  const outcomes = { good: ['Oslo'], bad: ['Rome'], inconclusive: ['Bern', 'Paris'], isRunning: false };
  expect(outcomesOf(trials)).toEqual(outcomes);
  expect(outcomesOf(new Map(trials).set('Kyiv', { state: 'running' }))).toEqual({
    ...outcomes,
    isRunning: true,
  });
});

test('the phases follow one another and fill the bar of the longest check', () => {
  // The API has microseconds.
  const ms = fc.integer({ min: 0, max: 1_000_000 }).map((us) => us / 1_000);
  fc.assert(
    fc.property(ms, ms, ms, ms, ms, (DNSTime, ConnectTime, SSLTime, TTFB, TTLB) => {
      const sum = DNSTime + ConnectTime + SSLTime + TTFB + TTLB;
      const parts = barParts(record(1, { DNSTime, ConnectTime, SSLTime, TTFB, TTLB }), sum);
      const width = parts.reduce((total, part) => total + part.width, 0);
      expect(width).toBeCloseTo(parts.length === 0 ? 0 : 1_000, 3);
      let end = parts[0]?.from ?? 0;
      for (const part of parts) {
        expect(part.from).toBeCloseTo(end, 6);
        end = part.from + part.width;
      }
    }),
  );
  expect(barParts(record(2), 0)).toEqual([]);
});

test('a script fails at its own line, else at that of its last failed call', () => {
  const calls = [
    { Line: 1, ResultCode: 2 },
    { Line: 3, ResultCode: 3 },
    { Line: 4, ResultCode: 1 },
  ];
  const Extended = { Steps: [{ Calls: calls }, {}] };
  expect(failedLine(record(3, { Extended }))).toBe(3);
  expect(failedLine(record(4, { Extended: { ...Extended, Line: 7 } }))).toBe(7);
  expect(failedLine(record(1, { Extended }))).toBeUndefined();
  expect(failedLine(record(2, { Extended: {} }))).toBeUndefined();
});
