import { expect, test } from 'vitest';
import { isBundled, siblingProgram } from './sibling-program.ts';

test.each([
  ['file:///repository/libs/a/src/b/own.ts', 'file:///repository/libs/a/src/b/worker.ts', false],
  ['file:///opt/vantage-agent/lib/agent.mjs', 'file:///opt/vantage-agent/lib/worker.mjs', true],
])('the worker of %s is %s', (own, worker, bundled) => {
  expect(siblingProgram(own, 'worker').href).toBe(worker);
  expect(isBundled(own)).toBe(bundled);
});
