import { expect, test } from 'vitest';
import { measured } from '../testing/measurements.ts';
import { asStalled, createStalls } from './stalls.ts';

test('two calls that lie further apart than the threshold are a stall, of which only what began before it knows', () => {
  let nowMs = 0;
  const stalls = createStalls({ monoMs: () => nowMs, thresholdMs: 1500 });
  nowMs = 1500;
  expect([stalls.tick(), stalls.since(0)]).toEqual([0, false]);
  nowMs = 3001;
  expect(stalls.tick()).toBe(1501);
  expect([3000, 3001].map((sinceMs) => stalls.since(sinceMs))).toEqual([true, false]);
  nowMs = 4000;
  stalls.noteSleep();
  expect([3999, 4000].map((sinceMs) => stalls.since(sinceMs))).toEqual([true, false]);
  nowMs = 9000;
  expect(stalls.since(8000)).toBe(true);
});

test('a failure while the process stood still is a fault of the agent, and not slow', () => {
  expect(asStalled(measured(2, [], { slow: true }))).toMatchObject({
    code: 10,
    slow: false,
    text: 'this agent stood still during the check, several times in a row (this check: no answer)',
  });
});
