import { afterEach, expect, test } from 'vitest';
import { logNodeWarnings } from './node-warnings.ts';

const before = process.listeners('warning');
afterEach(() => {
  process.removeAllListeners('warning');
  for (const listener of before) process.on('warning', listener);
});

test('a warning of Node.js becomes a line of the log, and nothing else', async () => {
  const lines: unknown[] = [];
  logNodeWarnings({ warn: (...given: readonly unknown[]) => void lines.push(given) });
  process.emitWarning('something leaks', 'TestWarning');
  await new Promise(setImmediate);
  expect(lines).toEqual([[{ warning: 'TestWarning', error: 'something leaks' }, 'Node.js warns']]);
  expect(process.listenerCount('warning')).toBe(1);
});
