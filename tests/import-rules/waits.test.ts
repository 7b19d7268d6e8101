import { expect, test } from 'vitest';
import { hurriedWaits } from './waits.ts';

const faultsOf = (text: string, file = 'libs/kernel/src/a.test.ts') => hurriedWaits({ file, text });

test.each([
  ['await vi.waitFor(() => f());', 'line 1 waits for a second'],
  ['f();\nvi.waitUntil(f,\n);', 'line 2 waits for a second'],
  ['expect(performance.now() - from).toBeLessThan(2_000);', 'line 1 asserts speed'],
  ['expect(systemClock.monoMs() - a.fromMs).toBeLessThanOrEqual(timeoutMs);', 'line 1 asserts speed'],
  [
    'const tookMs = performance.now() - from;\nexpect(tookMs).toBeLessThan(withinMs);',
    'line 2 asserts speed',
  ],
])('a test that counts on a quick machine is found: %s', (text, fault) => {
  expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
});

test.each([
  'await vi.waitFor(() => f(), soon);',
  'expect.poll(f).toBe(1);',
  'expect(performance.now() - from).toBeLessThan(60_000);',
  'expect(clock.monoMs() - from).toBeLessThan(10);',
  'expect(performance.now() - from).toBeGreaterThan(10);',
  "test('a', retryBecause('it measures'), () => expect(performance.now() - from).toBeLessThan(10));",
])('other tests are not: %s', (text) => {
  expect(faultsOf(text)).toEqual([]);
});

test('what measures the machine on purpose may limit its time', () => {
  const text = 'expect(performance.now() - from).toBeLessThan(2_000);';
  expect(faultsOf(text, 'tests/chaos/a.test.ts')).toEqual([]);
  expect(faultsOf(text, 'tests/real-servers/ping.timed.test.ts')).toEqual([]);
  // Seven files of these run at once.
  expect(faultsOf(text, 'tests/real-servers/table-mail.test.ts')).toHaveLength(1);
});
