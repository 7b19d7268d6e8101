import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from './secret.ts';

test.each([
  ['a template', (s: Secret) => `${s.toString()}`],
  ['JSON', (s: Secret) => JSON.stringify({ s })],
  ['inspect', (s: Secret) => inspect({ deep: { s } })],
  ['an error text', (s: Secret) => String(new Error(`bad ${s.toString()}`))],
])('a secret shows *** in %s', (_where, print) => {
  const shown = print(new Secret('hunter2'));
  expect(shown).not.toContain('hunter2');
  expect(shown).toContain('***');
});

test('reveal() returns the value', () => {
  expect(new Secret('hunter2').reveal()).toBe('hunter2');
});
