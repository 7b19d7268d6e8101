import { afterEach, expect, test, vi } from 'vitest';
import { compileCacheEnv, isBundled, siblingProgram } from './sibling-program.ts';

test.each([
  ['file:///repository/libs/a/src/b/own.ts', 'file:///repository/libs/a/src/b/worker.ts', false],
  ['file:///opt/vantage-agent/lib/agent.mjs', 'file:///opt/vantage-agent/lib/worker.mjs', true],
])('the worker of %s is %s', (own, worker, bundled) => {
  expect(siblingProgram(own, 'worker').href).toBe(worker);
  expect(isBundled(own)).toBe(bundled);
});

afterEach(() => vi.unstubAllEnvs());

test('a thread or a process of ours gets the folder of compiled code and no other variable', () => {
  vi.stubEnv('NODE_COMPILE_CACHE', '/somewhere');
  expect(compileCacheEnv()).toEqual({ NODE_COMPILE_CACHE: '/somewhere' });
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  expect(compileCacheEnv()).toEqual({});
});
