import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AuditFilter,
  auditAddress,
  auditQuery,
  deedOf,
  detailsOf,
  type Entry,
  kindNames,
  readAuditFilter,
} from './audit-words.ts';

const entry = (given: Partial<Entry>): Entry => ({
  Action: 'Update',
  Kind: 'device',
  Id: 'abcdef0123456789',
  Changes: [],
  ...given,
});
const nobody = (): string | undefined => undefined;

const told: readonly (readonly [Entry, (id: string) => string | undefined, object])[] = [
  [entry({}), nobody, { verb: 'changed', kind: 'device', name: 'abcdef01' }],
  [entry({}), () => 'Router', { verb: 'changed', kind: 'device', name: 'Router' }],
  [
    entry({ Action: 'Delete', Changes: [{ Field: 'Name', Old: 'oslo', New: null }], Kind: 'tag' }),
    nobody,
    { verb: 'deleted', kind: 'tag', name: 'oslo' },
  ],
  [
    entry({ Changes: [{ Field: 'Name', Old: 'a', New: 'b' }], Kind: 'nschedule' }),
    nobody,
    { verb: 'changed', kind: 'notification schedule', name: 'b' },
  ],
  [entry({ Kind: 'account' }), nobody, { verb: 'changed', kind: 'account', name: '' }],
  [entry({ Kind: 'session', Action: 'Create' }), nobody, { verb: 'signed in', kind: '', name: '' }],
  [entry({ Kind: 'session', Action: 'Refuse' }), nobody, { verb: 'was refused', kind: '', name: '' }],
];

test.each(told)('an entry is told: %o', (given, nameOf, words) => {
  expect(deedOf(given, nameOf)).toEqual(words);
});

test('changed fields have both values, things their names, and long values are cut', () => {
  const Changes = [
    { Field: 'Timeout', Old: 30, New: 10 },
    { Field: 'Tags', Old: null, New: ['a', 'b'] },
    { Field: 'Devices', Old: [], New: [{ Name: 'c', tag_id: '1' }] },
    { Field: 'Empty', Old: null, New: '' },
    { Field: 'Script', Old: 'x\n'.repeat(200), New: null },
  ];
  expect(detailsOf(entry({ Changes }))).toEqual({
    changes: ['Timeout: 30 → 10', 'Tags: – → a, b', 'Devices: – → c', `Script: ${'x '.repeat(39)}x… → –`],
    fields: [],
  });
});

test('a new or deleted thing has one value of each field, without the name that is in the sentence', () => {
  const made = entry({ Action: 'Create', Changes: [{ Field: 'Timeout', Old: null, New: 0 }] });
  expect(detailsOf(made)).toEqual({ changes: [], fields: ['Timeout: 0'] });
  const Changes = [
    { Field: 'Name', Old: 'oslo', New: null },
    { Field: 'Level', Old: 'UR', New: null },
  ];
  expect(detailsOf(entry({ Action: 'Delete', Changes }))).toEqual({ changes: [], fields: ['Level: UR'] });
});

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const filters: fc.Arbitrary<AuditFilter> = fc.record({
  actor: fc.string({ maxLength: 20 }),
  kind: fc.constantFrom('', ...(Object.keys(kindNames) as (keyof typeof kindNames)[])),
  action: fc.constantFrom('', 'Create', 'Update', 'Delete', 'Refuse'),
  from: fc.oneof(fc.constant(''), day),
  to: fc.oneof(fc.constant(''), day),
});

test('the address of filters means the same filters', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      expect(readAuditFilter(new URL(auditAddress(filter), 'https://x').searchParams)).toEqual(filter);
    }),
  );
});

test('what an address says wrongly is left out, and whole days are asked for', () => {
  const query = new URLSearchParams('actor=deploy&kind=nothing&action=Burn&from=yesterday&to=2026-02-25');
  expect(auditQuery(readAuditFilter(query))).toEqual({ Actor: 'deploy', Timestamp2: '2026-02-25T23:59:59' });
});
