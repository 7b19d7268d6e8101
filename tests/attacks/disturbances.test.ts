import { expect, test } from 'vitest';
import type { Measured } from './harness/bystander.ts';
import { disturbances } from './harness/scenes.ts';

const calm: Measured = {
  calls: 50,
  p99Ms: 20,
  errors: [],
  missingEvents: 0,
  foreignEvents: [],
  checks: 100,
  badChecks: 0,
  latestMs: 5,
  deliveredMs: 100,
  agentHeard: true,
};

test.each<[string, Partial<Measured>]>([
  ['an answer that fails', { errors: ['GET /devices: 503'] }],
  ['slow answers', { p99Ms: 500 }],
  ['an event that does not come', { missingEvents: 1 }],
  ['a change of status', { foreignEvents: ['Down of a device'] }],
  ['no stored check', { checks: 0 }],
  ['a failed check', { badChecks: 1 }],
  ['a late check', { latestMs: 1_001 }],
  ['a result that waits', { deliveredMs: 10_001 }],
  ['an agent that is not heard', { agentHeard: false }],
])('the bystander reports %s', (_, measured) => {
  expect(disturbances(calm, 500)).toEqual([]);
  expect(disturbances({ ...calm, ...measured }, 500)).toHaveLength(1);
});
