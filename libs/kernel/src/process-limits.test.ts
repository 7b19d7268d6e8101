import { totalmem } from 'node:os';
import { expect, test } from 'vitest';
import { usableMemory } from './process-limits.ts';

test('no more memory is usable than the machine has, limited or not', () => {
  expect(usableMemory()).toBeGreaterThan(16 * 1024 * 1024);
  expect(usableMemory()).toBeLessThanOrEqual(totalmem());
});
