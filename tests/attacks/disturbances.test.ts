import { expect, test } from 'vitest';
import type { Measured } from './harness/bystander.ts';
import { disturbances } from './harness/scenes.ts';

const calm: Measured = {
  calls: 50,
  p50Ms: 10,
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

test.each<[string, 'broken' | 'slow', Partial<Measured>]>([
  ['an answer that fails', 'broken', { errors: ['GET /devices: 503'] }],
  ['slow answers', 'slow', { p99Ms: 500 }],
  ['an event that does not come', 'broken', { missingEvents: 1 }],
  ['a change of status', 'broken', { foreignEvents: ['Down of a device'] }],
  ['no stored check', 'broken', { checks: 0 }],
  ['a failed check', 'broken', { badChecks: 1 }],
  ['a late check', 'slow', { latestMs: 1_001 }],
  ['a result that waits', 'slow', { deliveredMs: 10_001 }],
  ['an agent that is not heard', 'broken', { agentHeard: false }],
])('the bystander reports %s', (_, kind, measured) => {
  expect(disturbances(calm, 500)).toEqual({ broken: [], slow: [] });
  const { [kind]: ours, ...other } = disturbances({ ...calm, ...measured }, 500);
  expect(ours).toHaveLength(1);
  expect(Object.values(other)).toEqual([[]]);
});
