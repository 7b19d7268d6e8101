import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DeviceDraft, newDeviceDraft, setOption } from './device-draft.ts';
import { changesBetween, joinDrafts, withSettingOf } from './draft-changes.ts';

const basis: DeviceDraft = { ...newDeviceDraft('https://www.example.org/'), isNew: false };

const change = fc.oneof(
  fc.record({ timeout: fc.constantFrom('1', '2') }),
  fc.record({ fullName: fc.constantFrom('a', 'b') }),
  fc.record({ locations: fc.constantFrom(['Oslo'], ['Rome', 'Oslo'], undefined) }),
  fc.record({ tags: fc.constantFrom(['x'], []) }),
  fc
    .tuple(
      fc.constantFrom(['ExpectText'], ['TLS', 'Verify'], ['TLS', 'CA']),
      fc.constantFrom<unknown>('a', 'b', undefined),
    )
    .map(([path, value]) => ({ path, value })),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

const apply = (draft: DeviceDraft, each: Change): DeviceDraft =>
  'path' in each ? { ...draft, ...setOption(draft, each.path, each.value) } : { ...draft, ...each };
const edited = fc.array(change).map((changes) => changes.reduce<DeviceDraft>(apply, basis));
const fieldsOf = (a: DeviceDraft, b: DeviceDraft) => changesBetween(a, b).map(({ field }) => field);

test('the settings that differ, with the parts of TLS', () => {
  const after = { ...basis, timeout: '7', ...setOption(basis, ['TLS', 'Verify'], false) };
  expect(changesBetween(basis, after)).toEqual([
    { field: 'Timeout', before: '', after: '7' },
    { field: 'Options.TLS.Verify', before: undefined, after: false },
  ]);
});

test('taking each difference gives the other draft', () => {
  fc.assert(
    fc.property(edited, edited, (a, b) => {
      const same = fieldsOf(a, b).reduce((draft, field) => withSettingOf(draft, b, field), a);
      expect(changesBetween(same, b)).toEqual([]);
    }),
  );
});

test('a joined draft has my changes and those of others, and loses none silently', () => {
  fc.assert(
    fc.property(edited, edited, (mine, theirs) => {
      const { draft, clashes, taken } = joinDrafts(basis, mine, theirs);
      const own = new Set(fieldsOf(basis, mine));
      // My changes are all in the draft.
      for (const field of own) expect(fieldsOf(draft, mine)).not.toContain(field);
      // Each change of the others is in the draft, or it is a clash that is shown.
      const shown = new Set([...clashes, ...taken].map(({ field }) => field));
      for (const field of fieldsOf(basis, theirs))
        expect(shown.has(field) || !fieldsOf(draft, theirs).includes(field)).toBe(true);
      expect(clashes.every(({ field }) => own.has(field))).toBe(true);
      expect(taken.some(({ field }) => own.has(field))).toBe(false);
    }),
  );
});
