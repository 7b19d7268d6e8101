import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitSlope, type Point } from '../slope.ts';
import { afterWarmUp, judge, median, type Rule } from './judge.ts';

/** A value each minute for so many minutes. */
const line = (minutes: number, value: (hours: number) => number, life = 0): Point[] =>
  Array.from({ length: minutes }, (_, minute) => ({ at: minute / 60, value: value(minute / 60), life }));
const steady: Rule = { kind: 'slope', mostPerHour: 1, reason: 'noise' };
const judged = (points: readonly Point[], rule: Rule = steady) =>
  judge({ name: 'memory', unit: 'MiB', points, rule }, 0.25);
/** Up and down by one, without a trend. */
const saw = (hours: number) => (Math.round(hours * 60) % 4) - 1.5;

test('the slope of a straight line is found, whatever its level', () => {
  fc.assert(
    fc.property(fc.integer({ min: -500, max: 500 }), fc.integer({ min: -500, max: 500 }), (level, slope) => {
      const fit = fitSlope(line(30, (hours) => level + slope * hours));
      expect(fit.slope).toBeCloseTo(slope, 6);
      expect(fit.error).toBeCloseTo(0, 6);
    }),
    { numRuns: propertyRuns(50) },
  );
});

test('lives have levels of their own, so a start with less memory is no decline', () => {
  const before = line(20, (hours) => 200 + 6 * hours, 1);
  const after = line(20, (hours) => 90 + 6 * hours, 2).map((point) => ({ ...point, at: point.at + 1 }));
  expect(fitSlope([...before, ...after]).slope).toBeCloseTo(6, 6);
  expect(fitSlope([...before, ...after].map(({ at, value }) => ({ at, value }))).slope).toBeLessThan(-50);
});

test('each life warms up by itself', () => {
  const points = [
    ...line(40, () => 1, 1),
    ...line(40, () => 2, 2).map((each) => ({ ...each, at: each.at + 1 })),
  ];
  expect(afterWarmUp(points, 0.25).map(({ at }) => Math.round(at * 60))).toEqual([
    ...Array.from({ length: 25 }, (_, i) => i + 15),
    ...Array.from({ length: 25 }, (_, i) => i + 75),
  ]);
});

test.each<[string, (hours: number) => number, string]>([
  ['stays', (hours) => 100 + saw(hours), 'holds'],
  ['grows in the warm-up alone', (hours) => 100 + Math.min(hours, 0.25) * 400 + saw(hours), 'holds'],
  ['grows by one step', (hours) => (hours > 0.5 ? 140 : 100) + saw(hours), 'holds'],
  ['grows by one step and goes on', (hours) => (hours > 0.5 ? 140 : 100) + 20 * hours + saw(hours), 'grows'],
  ['falls', (hours) => 100 - 20 * hours + saw(hours), 'holds'],
  ['grows within the bound', (hours) => 100 + 0.9 * hours, 'holds'],
  ['grows', (hours) => 100 + 10 * hours + saw(hours), 'grows'],
  ['grows less than the noise lets us see', (hours) => 100 + 1.5 * hours + 20 * saw(hours), 'holds'],
])('memory that %s', (_, value, verdict) => {
  expect(judged(line(60, value)).verdict).toBe(verdict);
});

test('figures are those after the warm-up', () => {
  expect(judged(line(60, (hours) => 10 + 60 * hours))).toMatchObject({
    from: 10 + 17,
    to: 10 + 57,
    perHour: expect.closeTo(60, 6),
    error: expect.closeTo(0, 6),
    bound: 'at most 1.00 an hour: noise',
    verdict: 'grows',
  });
});

test('a series with too few values after the warm-up is not judged', () => {
  expect(judged(line(18, () => 1)).verdict).toBe('too few values');
  expect(judged([]).verdict).toBe('too few values');
  expect(judged([], { kind: 'level', most: 1, reason: 'none' }).verdict).toBe('too few values');
});

test('a level is that of the last quarter, without its outliers', () => {
  const rule: Rule = { kind: 'level', most: 50, reason: 'limit' };
  expect(
    judged(
      line(60, (hours) => (hours > 0.85 ? 51 : 0)),
      rule,
    ).verdict,
  ).toBe('too much');
  expect(
    judged(
      line(60, (hours) => (hours > 0.5 && hours < 0.75 ? 900 : 50)),
      rule,
    ).verdict,
  ).toBe('holds');
  expect(
    judged(
      line(60, (hours) => (Math.round(hours * 60) === 58 ? 900 : 5)),
      rule,
    ).verdict,
  ).toBe('holds');
  expect(judge({ name: 'lost', unit: '', points: [{ at: 0, value: 51 }], rule }, 0).verdict).toBe('too much');
});

test('the median is a value in the middle', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([])).toBeNaN();
});
