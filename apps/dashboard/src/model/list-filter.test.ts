import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterCount, filteredAddress, isDay, isId, isName, isOneOf, readListFilter } from './list-filter.ts';

const rules = { state: isOneOf(['open', 'closed']), tag: isName, device: isId, from: isDay };
const read = (text: string) => readListFilter(rules, new URLSearchParams(text));

test('an invalid value counts as absent, and an unknown name is ignored', () => {
  expect(read('state=ajar&tag=+berlin&device=7&from=2026-13-40&x=1')).toEqual({
    state: '',
    tag: 'berlin',
    device: '',
    from: '',
  });
  expect(read(`state=closed&device=${'a'.repeat(48)}&from=2026-02-25`)).toEqual({
    state: 'closed',
    tag: '',
    device: 'a'.repeat(48),
    from: '2026-02-25',
  });
  expect(read(`tag=${'x'.repeat(201)}`).tag).toBe('');
});

test('an address says again what it was made of, whatever the names are', () => {
  const anyFilter = fc.record({
    state: fc.constantFrom('', 'open', 'closed'),
    tag: fc.string({ maxLength: 200, unit: 'grapheme' }).map((text) => text.trim().slice(0, 200).trim()),
    device: fc.constantFrom('', '0f'.repeat(24)),
    from: fc.constantFrom('', '2026-02-28'),
  });
  fc.assert(
    fc.property(anyFilter, (filter) => {
      // A half of a surrogate pair cannot be in an address.
      fc.pre(filter.tag.isWellFormed());
      const address = filteredAddress('/alerts', filter);
      expect(read(address.split('?')[1] ?? '')).toEqual(filter);
      expect(address.includes('?')).toBe(filterCount(filter) > 0);
    }),
  );
});

test('an id is 48 hexadecimal digits', () => {
  expect([isId('7'.repeat(48)), isId('7'.repeat(47)), isId(7)]).toEqual([true, false, false]);
});
