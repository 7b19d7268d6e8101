import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { createStrandedAgents, isStranding } from './stranded-agents.ts';

test.each([
  ['the database answered just now', { missedMs: 0, gateways: 2 }, false],
  ['it may be a failover', { missedMs: 14_999, gateways: 2 }, false],
  ['another gateway may reach it', { missedMs: 15_000, gateways: 2 }, true],
  ['there is no other gateway', { missedMs: 600_000, gateways: 1 }, false],
])('agents are sent away or kept: %s', (_, seen, expected) => {
  expect(isStranding(seen)).toBe(expected);
});

test('agents are sent away once the database was out of reach for 15 s, and not again before it answered', async () => {
  const clock = createFakeClock();
  const stranded = createStrandedAgents({ clock, log: createLog('gateway test', 'silent') });
  let ended = 0;
  const session = {
    end: () => {
      ended += 1;
    },
  };
  await clock.advance(60_000);
  stranded.missed([session]);
  expect(ended).toBe(0); // it knows of no other gateway
  await stranded.reached(async () => 2);
  for (const [stepMs, expected] of [
    [0, 0],
    [14_999, 0],
    [1, 1],
  ] as const) {
    await clock.advance(stepMs);
    stranded.missed([session]);
    expect(ended).toBe(expected);
  }
  // The number that cannot be read is the last one.
  await stranded.reached(() => Promise.reject(new Error('no connection')));
  stranded.missed([session]);
  expect(ended).toBe(1);
  await clock.advance(15_000);
  stranded.missed([session]);
  expect(ended).toBe(2);
  await stranded.reached(async () => 1);
  await clock.advance(15_000);
  stranded.missed([session]);
  expect(ended).toBe(2);
});

test('the gateways are counted every 15 s at most', async () => {
  const clock = createFakeClock();
  const stranded = createStrandedAgents({ clock, log: createLog('gateway test', 'silent') });
  let counted = 0;
  for (let round = 0; round < 15; round += 1) {
    await stranded.reached(async () => {
      counted += 1;
      return 2;
    });
    await clock.advance(4_000);
  }
  expect(counted).toBe(4);
});
