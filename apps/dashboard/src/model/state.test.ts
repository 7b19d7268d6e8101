import { expect, test } from 'vitest';
import { stateOf, states } from './state.ts';

test('a paused device has no other state; Retrying and Partial are Up', () => {
  const facts = { status: 'Up', isEnabled: true, isRetrying: false, isPartial: false } as const;
  expect(stateOf({ ...facts, isEnabled: false, status: 'Down' })).toBe('Paused');
  expect(stateOf({ ...facts, isRetrying: true, isPartial: true })).toBe('Retrying');
  expect(stateOf({ ...facts, isPartial: true })).toBe('Partial');
  expect(stateOf({ ...facts, status: 'Down', isRetrying: true })).toBe('Down');
  expect(states[0]).toBe('Down');
});
