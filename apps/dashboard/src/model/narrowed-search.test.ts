import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Filterable, fits } from './device-filter.ts';
import { parseFilter } from './filter-text.ts';
import { createNarrowedSearch, narrows } from './narrowed-search.ts';

const name = fc.constantFrom('core router', 'shop front', 'shop back', 'a', 'router 17', 'r');
const row = fc
  .record({
    id: fc.constantFrom('a1', 'b2', 'c3', 'd4'),
    name,
    state: fc.constantFrom('Up', 'Down', 'Unknown'),
    method: fc.constantFrom('HTTP', 'PING'),
    tags: fc.uniqueArray(fc.constantFrom('berlin/rack-1', 'oslo')),
    isEnabled: fc.boolean(),
  })
  .map(
    (values): Filterable => ({
      ...values,
      words: values.name.toLowerCase(),
      severity: 'critical',
      isRetrying: false,
      locations: ['Oslo'],
    }),
  );
/** Texts as people type them, letter by letter. */
const typed = fc
  .array(
    fc.constantFrom(
      'router',
      'shop',
      'r',
      'status:down',
      '-status:up',
      'tag:oslo',
      'OR',
      '-a',
      '"shop b"',
      'method:http',
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join(' '))
  .chain((text) =>
    fc.tuple(fc.constant(text), fc.nat(text.length), fc.nat(text.length)).map(([whole, a, b]) => ({
      before: whole.slice(0, Math.min(a, b)),
      next: whole.slice(0, Math.max(a, b)),
      whole,
    })),
  );
const byUrl = fc.option(
  fc.record({
    word: fc.constantFrom('shop', 'router', 'rout', 'r'),
    ids: fc.uniqueArray(fc.constantFrom('a1', 'b2', 'c3')).map((ids) => new Set(ids)),
  }),
  { nil: undefined },
);

test('where a filter narrows another one, each row that fits it fits the other', () => {
  fc.assert(
    fc.property(typed, row, byUrl, ({ before, next }, each, found) => {
      const [wide, narrow] = [parseFilter(before), parseFilter(next)];
      const facts = { byUrl: found };
      fc.pre(narrows(wide, narrow, facts) && fits(narrow, each, facts));
      expect(fits(wide, each, facts)).toBe(true);
    }),
  );
});

test('letter by letter, the search finds what a comparison of all rows finds', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), typed, byUrl, (rows, { whole }, found) => {
      const search = createNarrowedSearch<Filterable>();
      const facts = { byUrl: found };
      for (let length = 0; length <= whole.length; length += 1) {
        const filter = parseFilter(whole.slice(0, length));
        expect(search.find(rows, filter, facts)).toEqual(rows.filter((each) => fits(filter, each, facts)));
      }
    }),
  );
});

test('of 10,000 rows, a further letter compares only those that were found before it', () => {
  const rows = Array.from(
    { length: 10_000 },
    (_, at): Filterable => ({
      id: String(at),
      name: `device ${at}`,
      words: `device ${at}`,
      state: 'Up',
      method: 'HTTP',
      severity: 'critical',
      isEnabled: true,
      isRetrying: false,
      tags: [],
      locations: [],
    }),
  );
  const search = createNarrowedSearch<Filterable>();
  const facts = {};
  const compared = Array.from({ length: 5 }, (_, at) => {
    const before = search.compared;
    search.find(rows, parseFilter('47119'.slice(0, at + 1)), facts);
    return search.compared - before;
  });
  expect(compared).toEqual([10_000, 3_439, 299, 20, 1]);
  const all = search.find(rows, parseFilter('d'), facts);
  expect(search.find(rows, parseFilter('de'), facts)).toBe(all);
});
