import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldName, foldSessions, listsFor } from './audit-names.ts';

const entry = fc.record({
  Kind: fc.constantFrom('session', 'device', 'tag'),
  Action: fc.constantFrom('Create', 'Update', 'Delete', 'Refuse'),
  no: fc.nat(),
});

test('property: folded rows have each entry once and in order, and only sign-ins are folded', () => {
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const rows = foldSessions(entries);
      expect(rows.flatMap((row) => (row.what === 'entry' ? [row.entry] : row.entries))).toEqual(entries);
      const folds = (given: (typeof entries)[number] | undefined) =>
        given?.Kind === 'session' && given.Action !== 'Refuse';
      rows.forEach((row, at) => {
        if (row.what === 'sessions') {
          expect(row.entries.length).toBeGreaterThan(1);
          expect(row.entries.every(folds)).toBe(true);
        }
        const next = rows[at + 1];
        const lastOf = row.what === 'entry' ? row.entry : row.entries.at(-1);
        const firstOf = next?.what === 'entry' ? next.entry : next?.entries[0];
        // Neighbours that could be one row are one row.
        expect(folds(lastOf) && folds(firstOf)).toBe(false);
      });
    }),
  );
});

test('only lists are read whose things are in the entries', () => {
  const change = (Kind: string, ...fields: readonly string[]) => ({
    Action: 'Update' as const,
    Kind,
    Id: 'a'.repeat(48),
    Changes: fields.map((Field) => ({ Field })),
  });
  expect(listsFor([])).toEqual(new Set());
  expect(listsFor([change('device', 'mschedule_id', 'Timeout'), change('contact')])).toEqual(
    new Set(['mschedules', 'contacts']),
  );
});

test('fields have the names that people know', () => {
  expect([fieldName('mschedule_id'), fieldName('Timeout')]).toEqual(['Maintenance schedule', 'Timeout']);
});
