import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ExpectedChange, withExpectations } from './expectations.ts';

interface Facts {
  readonly id: string;
  readonly a: number;
  readonly b: number;
}

const ids = ['x', 'y', 'z'];
const known: readonly Facts[] = ids.map((id) => ({ id, a: 0, b: 0 }));
const lay = (expectations: readonly ExpectedChange<Facts>[]) =>
  withExpectations(known, ({ id }) => id, expectations);

const expectation: fc.Arbitrary<ExpectedChange<Facts>> = fc.record({
  id: fc.constantFrom(...ids, 'unknown'),
  facts: fc.option(
    fc.record({ a: fc.integer({ min: 1, max: 9 }), b: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: [] }),
    { nil: undefined },
  ),
});

test('each thing is what the last expectations say of it, and the others stay the same objects', () => {
  fc.assert(
    fc.property(fc.array(expectation, { maxLength: 6 }), (expectations) => {
      const wanted = known.flatMap((facts) => {
        let now: Facts | undefined = facts;
        for (const each of expectations)
          if (each.id === facts.id) now = each.facts && { ...(now ?? facts), ...each.facts };
        return now === undefined ? [] : [now];
      });
      const shown = lay(expectations);
      expect(shown).toEqual(wanted);
      const changed = new Set(expectations.map(({ id }) => id));
      for (const facts of known) if (!changed.has(facts.id)) expect(shown).toContain(facts);
    }),
  );
});

test('without expectations it is the same list, so that nothing is drawn again', () => {
  expect(lay([])).toBe(known);
});
