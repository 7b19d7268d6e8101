import { expect, test } from 'vitest';
import { pushTarget } from './push-target.ts';

test.each([
  [60, 0, 60, 60],
  [60, 300, 60, 300],
  [90, 0, 60, 90],
  [86_400, 0, 3_600, 82_860],
  [3, 0, 5, 60],
])('an interval of %i s with %i s of grace', (interval, grace, intervalSeconds, GraceSeconds) => {
  expect(pushTarget(interval, grace)).toMatchObject({
    method: 'Push',
    intervalSeconds,
    options: { GraceSeconds },
  });
});
