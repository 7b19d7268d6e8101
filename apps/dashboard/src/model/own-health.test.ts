import { expect, test } from 'vitest';
import { findingsOf, type Installation, sizeOf } from './own-health.ts';

const now = Date.parse('2026-02-25T12:00:00Z');
const well: Installation = {
  Warnings: [],
  Backup: { Made: '2026-02-25T02:00:00Z', Verified: '2026-02-24T02:00:00Z', MaxDays: 2 },
  Queues: {
    OldestNotification: '2026-02-25T11:59:00Z',
    RolledUpTo: '2026-02-25T10:00:00Z',
    OverdueRunRequests: 0,
    RefusedItems: 0,
  },
};
const backup = (given: Partial<Installation['Backup']>): Installation => ({
  ...well,
  Backup: { ...well.Backup, ...given },
});
const queues = (given: Partial<Installation['Queues']>): Installation => ({
  ...well,
  Queues: { ...well.Queues, ...given },
});

test.each([
  ['all is well', well, []],
  [
    'a warning comes first, word for word',
    { ...backup({ Made: null, Verified: null }), Warnings: ['the disk is full'] },
    [{ kind: 'warning', words: 'the disk is full' }, { kind: 'noBackup' }],
  ],
  [
    'the newest verified backup is too old',
    backup({ Verified: '2026-02-20T02:00:00Z' }),
    [{ kind: 'oldBackup', days: 5, isVerified: true }],
  ],
  [
    'none is verified and the newest is too old',
    backup({ Made: '2026-02-22T02:00:00Z', Verified: null }),
    [{ kind: 'oldBackup', days: 3, isVerified: false }],
  ],
  ['nobody wants to know the age', backup({ Verified: '2020-02-20T02:00:00Z', MaxDays: 0 }), []],
  [
    'a message waits',
    queues({ OldestNotification: '2026-02-25T11:40:00Z' }),
    [{ kind: 'lateMessages', minutes: 20 }],
  ],
  [
    'no hour is rolled up for long',
    queues({ RolledUpTo: '2026-02-25T06:30:00Z' }),
    [{ kind: 'lateRollUp', hours: 5 }],
  ],
  ['nothing was ever rolled up', queues({ RolledUpTo: null, OldestNotification: null }), []],
  [
    'jobs have what they cannot do',
    queues({ OverdueRunRequests: 2, RefusedItems: 1 }),
    [
      { kind: 'overdueRequests', count: 2 },
      { kind: 'refusedItems', count: 1 },
    ],
  ],
] as const)('%s', (_what, installation, findings) => {
  expect(findingsOf(installation, now)).toEqual(findings);
});

test.each([
  [0, '0\u00a0B'],
  [1023, '1023\u00a0B'],
  [1024, '1.0\u00a0KiB'],
  [1_610_612_736, '1.5\u00a0GiB'],
  [214_748_364_800, '200\u00a0GiB'],
])('%s bytes are %s', (bytes, words) => {
  expect(sizeOf(bytes)).toBe(words);
});
