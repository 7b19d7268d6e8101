import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathOfName } from './page-path.ts';

test.each([
  ['Our Customers!', 'our-customers'],
  ['  Zürich & Genève ', 'zurich-geneve'],
  ['日本', ''],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
])('the path of the name %s is %s', (name, path) => {
  expect(pathOfName(name)).toBe(path);
});

test('the API accepts every path that is made of a name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
      expect(pathOfName(name)).toMatch(/^([a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?)?$/);
    }),
  );
});
