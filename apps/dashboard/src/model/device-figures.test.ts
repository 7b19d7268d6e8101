import { expect, test } from 'vitest';
import { figuresOf, trendPath } from './device-figures.ts';

const row = (more: object = {}) => ({
  Timestamp: '2026-01-01T00:00:00Z',
  Count: 10,
  Errors: 0,
  Inconclusive: 0,
  Loss: null,
  P50: 10,
  P95: 20,
  ...more,
});
const span = { fromMs: Date.parse('2026-01-01T00:00:00Z'), toMs: Date.parse('2026-01-02T00:00:00Z') };

test('p95 is that of the slowest Location, and checks that say nothing are not failed', () => {
  const whole = [row({ Errors: 2, Inconclusive: 5 }), row({ P95: 90 }), row({ P95: null, Count: 0 })];
  expect(figuresOf(whole, [], span)).toEqual({ p95: 90, loss: (2 / 15) * 100, trend: [] });
});

test('the loss of PING is that of its packets', () => {
  const whole = [row({ Loss: 10, Count: 30, Errors: 0 }), row({ Loss: 50, Count: 10 })];
  expect(figuresOf(whole, [], span).loss).toBe(20);
});

test('without a check there is no figure, never 0', () => {
  expect(figuresOf([row({ Count: 0, P95: null })], [], span)).toEqual({ p95: null, loss: null, trend: [] });
});

test('an hour has the median of its Locations', () => {
  const hour = (at: string, P50: number | null) => row({ Timestamp: `2026-01-01T${at}:00:00Z`, P50 });
  const { trend } = figuresOf([], [hour('06', 30), hour('00', 4), hour('06', 10), hour('12', null)], span);
  expect(trend).toEqual([
    { at: 0, ms: 4 },
    { at: 0.25, ms: 20 },
  ]);
});

test('the line of a trend breaks where hours have no check', () => {
  const trend = [0, 1, 2, 12].map((hour) => ({ at: hour / 24, ms: hour === 1 ? 20 : 10 }));
  expect(trendPath(trend, { width: 24, height: 10 })).toBe('M0 5h0.5L1 0L2 5M12 5h0.5');
});
