import { expect, test } from 'vitest';
import { createCoverage } from './coverage.ts';

test('nothing is covered before it begins, then everything up to now', () => {
  const coverage = createCoverage();
  expect(coverage.take(50, undefined)).toEqual([]);
  coverage.begin(100);
  expect(coverage.take(200, undefined)).toEqual([{ fromUs: 100, toUs: 200 }]);
  expect(coverage.take(300, undefined)).toEqual([{ fromUs: 200, toUs: 300 }]);
  expect(coverage.reportedUs).toBe(300);
});

test('no span goes beyond a check that still waits to be started', () => {
  const coverage = createCoverage();
  coverage.begin(100);
  expect(coverage.take(200, 150)).toEqual([{ fromUs: 100, toUs: 150 }]);
  expect(coverage.take(300, 150)).toEqual([]);
  expect(coverage.take(400, undefined)).toEqual([{ fromUs: 150, toUs: 400 }]);
});

test('time in which checks did not start is left out', () => {
  const coverage = createCoverage();
  coverage.begin(100);
  coverage.broken(150, 180);
  coverage.broken(160, 170);
  expect(coverage.take(200, undefined)).toEqual([
    { fromUs: 100, toUs: 150 },
    { fromUs: 180, toUs: 200 },
  ]);
});

test('a break within a reported span takes nothing back; the next span begins after it', () => {
  const coverage = createCoverage();
  coverage.begin(0);
  coverage.take(100, undefined);
  coverage.broken(50, 120);
  expect(coverage.take(200, undefined)).toEqual([{ fromUs: 120, toUs: 200 }]);
});

test('a clock step ends the span by the old clock and begins another by the new one', () => {
  const coverage = createCoverage();
  coverage.stepped(1, 2);
  expect(coverage.take(10, undefined)).toEqual([]);
  coverage.begin(100);
  coverage.stepped(150, 1150);
  expect(coverage.take(1200, undefined)).toEqual([
    { fromUs: 100, toUs: 150 },
    { fromUs: 1150, toUs: 1200 },
  ]);
});

test('a break at the very begin leaves no empty span, and nothing is covered before the begin', () => {
  const coverage = createCoverage();
  coverage.broken(10, 20);
  coverage.begin(100);
  coverage.broken(100, 150);
  expect(coverage.take(200, undefined)).toEqual([{ fromUs: 150, toUs: 200 }]);
  expect(coverage.take(200, undefined)).toEqual([]);
});

test('of many breaks the first 10,000 spans are reported, and the time of the others is not covered', () => {
  const coverage = createCoverage();
  coverage.begin(0);
  for (let at = 1; at <= 10_001; at += 1) coverage.broken(at * 10, at * 10 + 5);
  const spans = coverage.take(200_000, undefined);
  expect([spans.length, spans.at(-1)]).toEqual([10_000, { fromUs: 99_995, toUs: 100_000 }]);
  expect(coverage.take(200_010, undefined)).toEqual([{ fromUs: 200_000, toUs: 200_010 }]);
});
