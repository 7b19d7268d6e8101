import { expect, test } from 'vitest';
import { createDeviceMemories, newMemory } from './device-memory.ts';

test('over the bound, the device that was checked longest ago is forgotten', () => {
  const memories = createDeviceMemories(10_000);
  const counter = { count: 1n, bits: 64 as const, at: { upTicks: 1, monoMs: 1 } };
  const memory = {
    ...newMemory(0),
    interfaces: new Map([['Gi1', { status: 'Up', counters: [counter, counter] }]]),
  };
  for (const key of ['a', 'b', 'c']) memories.set(key, memory);
  memories.get('a');
  for (const key of ['d', 'e']) memories.set(key, memory);
  expect(['a', 'b', 'c', 'd', 'e'].filter((key) => memories.get(key) !== undefined)).toEqual(['a', 'd', 'e']);
});
