import { expect, test } from 'vitest';
import type { RecordedChange } from './audit-names.ts';
import { deedOf, detailsOf } from './audit-words.ts';

const entry = (fields: Partial<RecordedChange>): RecordedChange => ({
  Action: 'Update',
  Kind: 'device',
  Id: 'abcdef0123456789',
  Changes: [],
  ...fields,
});
const noName = (): string | undefined => undefined;

const examples: readonly (readonly [RecordedChange, (id: string) => string | undefined, object])[] = [
  [entry({}), noName, { verb: 'changed', kind: 'device', name: 'abcdef01' }],
  [entry({}), () => 'Router', { verb: 'changed', kind: 'device', name: 'Router' }],
  [
    entry({ Action: 'Delete', Changes: [{ Field: 'Name', Old: 'oslo', New: null }], Kind: 'tag' }),
    noName,
    { verb: 'deleted', kind: 'tag', name: 'oslo' },
  ],
  [
    entry({ Changes: [{ Field: 'Name', Old: 'a', New: 'b' }], Kind: 'nschedule' }),
    noName,
    { verb: 'changed', kind: 'notification schedule', name: 'b' },
  ],
  [entry({ Kind: 'account' }), noName, { verb: 'changed', kind: 'account', name: '' }],
  [entry({ Kind: 'session', Action: 'Create' }), noName, { verb: 'signed in', kind: '', name: '' }],
  [entry({ Kind: 'session', Action: 'Refuse' }), noName, { verb: 'was refused', kind: '', name: '' }],
];

test.each(examples)('an entry in words: %o', (change, nameOf, words) => {
  expect(deedOf(change, nameOf)).toEqual(words);
});

test('changed fields have both values, things their names, and long values are cut', () => {
  const Changes = [
    { Field: 'Timeout', Old: 30, New: 10 },
    { Field: 'Tags', Old: null, New: ['a', 'b'] },
    { Field: 'Devices', Old: [], New: [{ Name: 'c', tag_id: '1' }] },
    { Field: 'Empty', Old: null, New: '' },
    { Field: 'Script', Old: 'x\n'.repeat(200), New: null },
  ];
  expect(detailsOf(entry({ Changes }), noName)).toEqual({
    changes: [
      'Timeout: 30 → 10',
      'Tags: none → a, b',
      'Devices: none → c',
      `Script: ${'x '.repeat(39)}x… → none`,
    ],
    fields: [],
  });
});

test('a new or deleted thing has one value of each field, without the name that is in the sentence', () => {
  const made = entry({ Action: 'Create', Changes: [{ Field: 'Timeout', Old: null, New: 0 }] });
  expect(detailsOf(made, noName)).toEqual({ changes: [], fields: ['Timeout: 0'] });
  const Changes = [
    { Field: 'Name', Old: 'oslo', New: null },
    { Field: 'Level', Old: 'UR', New: null },
  ];
  expect(detailsOf(entry({ Action: 'Delete', Changes }), noName)).toEqual({
    changes: [],
    fields: ['Level: UR'],
  });
});

test('ids in changes are names, also within lists and objects; a deleted thing keeps the start of its id', () => {
  const [sunday, gone] = ['a'.repeat(48), '7455ef8c'.padEnd(48, '0')];
  const nameOf = (id: string) => (id === sunday ? 'Patch Sunday' : undefined);
  const Changes = [
    { Field: 'mschedule_id', Old: null, New: sunday },
    { Field: 'nschedule_id', Old: gone, New: null },
    {
      Field: 'Steps',
      Old: [],
      New: [{ Contacts: [sunday, gone], After: 5, Hours: null }, { Contacts: [sunday] }],
    },
    { Field: 'Enabled', Old: true, New: false },
  ];
  expect(detailsOf(entry({ Changes }), nameOf).changes).toEqual([
    'Maintenance schedule: none → Patch Sunday',
    'Notification schedule: a deleted one (7455ef8c) → none',
    'Steps: none → Contacts Patch Sunday, a deleted one (7455ef8c), After 5; Contacts Patch Sunday',
    'Enabled: true → false',
  ]);
});
