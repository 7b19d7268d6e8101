import { expect, test } from 'vitest';
import { needlessExemptions, untrackedCollections } from './tracked-state.ts';

const found = (text: string) =>
  untrackedCollections({ file: 'libs/rest-kit/src/serve/a.ts', text }).join('\n');

test.each([
  [
    'a map of a factory',
    'function create() { const known = new Map(); return (k) => void known.set(k, 1); }',
  ],
  ['that of a module', 'const known = new Set(); export function add(k) { known.add(k); }'],
  [
    'a list that a listener fills',
    "function f(on) { const all: number[] = []; on('data', (n) => all.push(n)); }",
  ],
  [
    'a list that is replaced',
    'function f() { let known = []; return { keep(k) { known = [...known, k]; } }; }',
  ],
  [
    'a collection in an object',
    'const create = () => ({ known: new Map() }); const add = (s, k) => s.known.set(k, 1);',
  ],
])('%s without a bound is found', (_, text) => {
  expect(found(text)).toMatch(/(?:known|all) outlives a call and has no bound/);
});

test.each([
  [
    'a bound is declared',
    'function create() { const known = tracked(new Map()); return (k) => void known.set(k, 1); }',
  ],
  [
    'the call fills it',
    'function f(keys) { const known = new Set(); for (const k of keys) known.add(k); return known; }',
  ],
  [
    'a method that calls at once fills it',
    'function f(keys) { const all = []; keys.forEach((k) => all.push(k)); return all; }',
  ],
])('nothing is found where %s', (_, text) => {
  expect(found(text)).toBe('');
});

test('a reason that no collection needs any more is named', () => {
  const emptied = [{ file: 'libs/rest-kit/src/forms/zone.ts', text: 'f();' }];
  expect(needlessExemptions(emptied)).toEqual([expect.stringContaining('zone.ts written')]);
});
