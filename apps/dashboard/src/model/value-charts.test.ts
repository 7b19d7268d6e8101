import { dayMs, hourMs } from '@vantage/domain/units';
import { expect, test } from 'vitest';
import {
  chartedLabels,
  labelList,
  labelsIn,
  type ValueStep,
  valueBucketFor,
  valueScale,
  valueSteps,
} from './value-charts.ts';

const minute = 60_000;

test.each([
  [hourMs, 1_000, 'Raw'],
  [6 * hourMs, 1_000, 'Raw'],
  [6 * hourMs, 300, '5Min'],
  [dayMs, 1_000, '5Min'],
  [7 * dayMs, 1_000, '30Min'],
  [7 * dayMs, 340, 'Hour'],
  [90 * dayMs, 1_000, '6Hour'],
  [400 * dayMs, 1_000, 'Day'],
])('%d ms on %d pixels, checked every minute, is drawn in buckets of %s', (length, pixels, name) => {
  expect(valueBucketFor({ from: 0, to: length }, pixels, minute).name).toBe(name);
});

const bucket = (at: number) => ({ Start: new Date(at).toISOString(), Min: 1, Mean: 2, Max: 4, P95: 3 });

test('a step ends where the next one follows, and after its own length before a gap', () => {
  const steps = valueSteps([0, 60_000, 300_000].map(bucket), minute, { from: 0, to: 330_000 });
  expect(steps.map(({ from, to }) => [from, to])).toEqual([
    [0, 60_000],
    [60_000, 120_000],
    [300_000, 330_000],
  ]);
  expect(steps[0]).toMatchObject({ min: 1, mean: 2, max: 4, p95: 3 });
});

const step = (min: number, max: number): ValueStep => ({ from: 0, to: 1, min, max, mean: min, p95: max });

test.each([
  ['no values', [], 0, 1],
  ['zeros', [step(0, 0)], 0, 1],
  ['amounts', [step(12, 340)], 0, 400],
  ['a percentage', [step(61, 81)], 0, 100],
  ['negative ones', [step(-30, -2)], -40, 0],
  ['both signs', [step(-3, 150)], -4, 200],
  ['a narrow range far from zero', [step(10_000, 10_030)], 10_000, 10_040],
  ['one value', [step(27, 27)], 0, 40],
])('the scale of %s', (_, steps, bottom, top) => {
  expect(valueScale(steps)).toEqual({ bottom, top });
});

test('labels come back from the address, with commas too', () => {
  const labels = ['in', 'temperature, inlet', 'a,b,c'];
  expect(labelsIn(labelList(labels))).toEqual(labels);
  expect(labelsIn('')).toEqual([]);
});

test('at most six charts: the chosen labels that exist, or else the first', () => {
  const all = Array.from({ length: 9 }, (_, i) => `v${i}`);
  expect(chartedLabels(all, [])).toEqual(all.slice(0, 6));
  expect(chartedLabels(all, ['v8', 'gone', 'v1'])).toEqual(['v8', 'v1']);
  expect(chartedLabels(all, ['gone'])).toEqual(all.slice(0, 6));
  expect(chartedLabels(all, all)).toHaveLength(6);
});
