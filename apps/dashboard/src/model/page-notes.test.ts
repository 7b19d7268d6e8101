import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Note, nextKind, noteKinds, openIncident, withNote } from './page-notes.ts';

const notes = (...kinds: readonly Note['Kind'][]): readonly Note[] =>
  kinds.map((Kind, at) => ({ At: `2026-02-25T10:${10 + at}:00Z`, Kind, Text: 'x' })).reverse();

test.each([
  { kinds: [], open: undefined, next: 'Investigating' },
  { kinds: ['Information', 'Maintenance'], open: undefined, next: 'Investigating' },
  { kinds: ['Investigating'], open: 1, next: 'Identified' },
  { kinds: ['Investigating', 'Identified', 'Information'], open: 2, next: 'Monitoring' },
  { kinds: ['Investigating', 'Monitoring'], open: 2, next: 'Resolved' },
  { kinds: ['Investigating', 'Resolved', 'Information'], open: undefined, next: 'Investigating' },
  { kinds: ['Investigating', 'Resolved', 'Identified'], open: 1, next: 'Monitoring' },
] as const)('after $kinds $next comes next', ({ kinds, open, next }) => {
  expect(openIncident(notes(...kinds))?.length).toBe(open);
  expect(nextKind(notes(...kinds))).toBe(next);
});

test('an incident always comes to its end, in at most four notes', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...noteKinds), { maxLength: 8 }), (kinds) => {
      let now = notes(...kinds);
      for (let at = 0; at < 4; at += 1) {
        now = withNote(now, { At: `2026-02-25T11:0${at}:00Z`, Kind: nextKind(now), Text: 'y' });
        if (openIncident(now) === undefined) return;
      }
      throw new Error('it goes on');
    }),
  );
});

test('a hundred notes are kept, the newest ones, in their order', () => {
  const many = Array.from(
    { length: 100 },
    (_, at): Note => ({
      At: new Date(Date.UTC(2026, 0, 1) - at * 60_000).toISOString(),
      Kind: 'Information',
      Text: `${at}`,
    }),
  );
  const next = withNote(many, { At: '2025-12-31T23:58:30Z', Kind: 'Information', Text: 'new' });
  expect(next.map(({ Text }) => Text)).toEqual([
    '0',
    '1',
    'new',
    ...many.slice(2, 99).map(({ Text }) => Text),
  ]);
});
