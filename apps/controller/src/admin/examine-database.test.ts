import { expect, test } from 'vitest';
import { judgeStandbys } from './examine-database.ts';

const behind = { lagBytes: 512, lagS: 0.25 };
const standby = { name: 'db-2', address: '10.0.0.2', state: 'streaming', sync: 'async', ...behind };
const seen = { role: 'vantage', sees: true };

test.each([
  ['a replica that streams', {}, 'ok', 'db-2 (10.0.0.2) is streaming, async: 512 bytes, 0.3 s behind'],
  [
    'one without lag',
    { lagS: null, address: null },
    'ok',
    'db-2 (by socket) is streaming, async: 512 bytes behind',
  ],
  ['one that catches up', { state: 'catchup' }, 'warning', 'is catchup'],
  [
    'one that is a backup',
    { state: 'backup', lagBytes: null, lagS: null },
    'warning',
    'replayed nothing yet',
  ],
  ['one that is far behind', { lagS: 61 }, 'warning', '61.0 s behind'],
])('%s', (_, changed, level, text) => {
  const found = judgeStandbys([{ ...standby, ...changed }], seen);
  expect(found).toMatchObject([{ level, step: 'replication', text: expect.stringContaining(text) }]);
});

test('without replicas, and without the right to see them, the doctor says so', () => {
  expect(judgeStandbys([], seen)).toMatchObject([{ level: 'ok', text: 'no replica is connected' }]);
  expect(judgeStandbys([standby], { role: 'vantage', sees: false })).toMatchObject([
    { level: 'warning', remedy: 'As a superuser of the database: grant pg_monitor to vantage.' },
  ]);
});
