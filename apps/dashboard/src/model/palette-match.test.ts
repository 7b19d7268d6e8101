import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markedParts, matchRank, queryWords, verbOf } from './palette-match.ts';

test.each([
  ['ber-core-rt-01', 'core rt', 1],
  ['core-0', 'core', 0],
  ['score board', 'core', 2],
  ['ber-core-rt-01', 'core paris', undefined],
  ['anything', '', 0],
])('%s for the query "%s" has the rank %s', (text, query, rank) => {
  expect(matchRank(text, queryWords(query))).toBe(rank);
});

test('the parts of any text are the text, and each word of a match is marked', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (text, query) => {
      const parts = markedParts(text, queryWords(query));
      expect(parts.map((part) => part.text).join('')).toBe(text);
    }),
  );
  expect(markedParts('ber-core-rt', ['core', 'rt'])).toEqual([
    { text: 'ber-', isMatch: false },
    { text: 'core', isMatch: true },
    { text: '-', isMatch: false },
    { text: 'rt', isMatch: true },
  ]);
});

test('a query names what to do and with which device, in any order', () => {
  expect(verbOf(['pau', 'core'])).toEqual({ verb: 'pause', rest: ['core'] });
  expect(verbOf(['core-0', 'maint'])).toEqual({ verb: 'maintenance', rest: ['core-0'] });
  expect(verbOf(['ed', 'core'])).toBeUndefined();
});
