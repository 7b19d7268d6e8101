import { expect, test } from 'vitest';
import { scriptsAtOnce } from './sandbox.ts';

test.each([
  [64, 1],
  [200, 1],
  [320, 2],
  [512, 4],
  [1_024, 4],
  [2_048, 8],
  [100_000, 64],
])('with %i MiB, %i scripts run at one moment', (mebibytes, scripts) => {
  expect(scriptsAtOnce(mebibytes * 1024 * 1024)).toBe(scripts);
});
