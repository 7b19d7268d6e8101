import { expect, test } from 'vitest';
import { createStopwatch } from './stopwatch.ts';

test('a stopwatch runs one phase at a time, and none before the first is entered or after a pause', () => {
  let nowMs = 0;
  const stopwatch = createStopwatch({ monoMs: () => nowMs });
  expect(stopwatch.running()).toBeUndefined();
  stopwatch.enter('connect');
  nowMs = 2;
  stopwatch.enter('ttfb');
  expect(stopwatch.running()).toBe('ttfb');
  nowMs = 5;
  stopwatch.pause();
  expect(stopwatch.running()).toBeUndefined();
  nowMs = 9;
  expect(stopwatch.read()).toEqual({ dns: 0, connect: 2, ssl: 0, ttfb: 3, ttlb: 0 });
});
