import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readScope, scopeParts } from './rights.ts';

const all = ['berlin/rack-1', 'berlin/rack-2', 'berlin/cellar/ups', 'oslo', 'web'];

test.each([
  { scope: ['oslo'], parts: ['oslo'] },
  { scope: ['berlin/rack-1', 'oslo'], parts: ['berlin/rack-1', 'oslo'] },
  { scope: ['berlin/rack-1', 'berlin/rack-2', 'berlin/cellar/ups'], parts: ['berlin/*'] },
  { scope: ['web', 'BERLIN/rack-1', 'berlin/rack-2', 'berlin/cellar/ups'], parts: ['berlin/*', 'web'] },
  // A branch of one tag is that tag.
  { scope: ['berlin/cellar/ups'], parts: ['berlin/cellar/ups'] },
  { scope: [], parts: [] },
])('the scope $scope reads $parts', ({ scope, parts }) => {
  expect(scopeParts(scope, all)).toEqual(parts);
});

test.each([
  { text: '', tags: null, unknown: [] },
  { text: ' , ', tags: null, unknown: [] },
  { text: 'Oslo, web', tags: ['oslo', 'web'], unknown: [] },
  { text: 'berlin/*', tags: ['berlin/rack-1', 'berlin/rack-2', 'berlin/cellar/ups'], unknown: [] },
  { text: 'berlin/cellar/*, berlin/rack-9', tags: ['berlin/cellar/ups'], unknown: ['berlin/rack-9'] },
  // A word that is a part of a name is no name.
  { text: 'berlin, rack-1, ber*', tags: [], unknown: ['berlin', 'rack-1', 'ber*'] },
])('the text "$text" means $tags', ({ text, tags, unknown }) => {
  expect(readScope(text, all)).toEqual({ tags, unknown });
});

const part = fc.stringMatching(/^[a-z0-9.-]{1,3}$/);
const tagNames = fc.uniqueArray(
  fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
  { maxLength: 12 },
);

test('the words of a scope mean the same scope', () => {
  const cases = tagNames.chain((names) =>
    fc.record({ names: fc.constant(names), scope: fc.subarray(names) }),
  );
  fc.assert(
    fc.property(cases, ({ names, scope }) => {
      const read = readScope(scopeParts(scope, names).join(', '), names);
      expect(read.unknown).toEqual([]);
      expect([...(read.tags ?? [])].sort()).toEqual([...scope].sort());
    }),
  );
});
