import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { Db } from '../../platform/db/index.ts';
import { useDatabase } from '../../testing/use-database.ts';
import { createProblems, oldBackup, type Problem } from './problems.ts';

let db: Db;
useDatabase((opened) => {
  db = opened;
});

const day = 86_400;
const soon = { timeout: 60_000, interval: 20 };

test.each([
  ['no backup was ever made', { made: null, verified: null }, 2, undefined],
  ['a backup is young enough', { made: 2 * day, verified: null }, 2, undefined],
  ['a backup is too old', { made: 2 * day + 1, verified: null }, 2, 'the newest backup is 2 days old'],
  [
    'a young backup is not verified',
    { made: 1, verified: 3 * day },
    2,
    'the newest backup that was verified is 3 days old',
  ],
  ['nobody wants to know', { made: 900 * day, verified: null }, 0, undefined],
  ['the limit is a day', { made: 1.5 * day, verified: null }, 1, 'the newest backup is 1 day old'],
])('%s', (_what, ages, maxDays, problem) => {
  expect(oldBackup(ages, maxDays)).toBe(problem);
});

test('a controller stores the problems that it sees, until it sees them no more or ends', async () => {
  let seen: readonly Problem[] = [];
  const clock = createFakeClock();
  const ending = new AbortController();
  const problems = createProblems({
    kysely: db.kysely,
    controllerId: 'this',
    clock,
    log: createLog('test', 'silent'),
    backupMaxDays: 2,
    read: () => seen,
  });
  await sql`insert into installation_problems (controller_id, kind, reason, ends_us) values
    ('other', 'disk.low', 'of another', 9e15::bigint), ('gone', 'disk.low', 'of one that ended', 1)`.execute(
    db.kysely,
  );
  const stored = () =>
    db.kysely
      .selectFrom('installation_problems')
      .select(['controller_id', 'kind', 'reason', 'account_nos'])
      .orderBy('controller_id')
      .orderBy('kind')
      .execute();
  const becomes = (...wanted: readonly object[]) =>
    vi.waitFor(async () => {
      await clock.advance(15_000);
      expect(await stored()).toEqual([other, ...wanted]);
    }, soon);
  const other = { controller_id: 'other', kind: 'disk.low', reason: 'of another', account_nos: null };
  const mine = (kind: string, reason: string, account_nos: readonly number[] | null = null) => ({
    controller_id: 'this',
    kind,
    reason,
    account_nos,
  });
  seen = [
    { kind: 'clock.wrong', reason: 'ahead', accountNos: [7] },
    { kind: 'disk.low', reason: 'full' },
  ];
  const running = problems.run(ending.signal);
  await becomes(mine('clock.wrong', 'ahead', [7]), mine('disk.low', 'full'));
  seen = [{ kind: 'disk.low', reason: 'fuller' }];
  await becomes(mine('disk.low', 'fuller'));
  await sql`insert into last_backup (at_us) values ((extract(epoch from now() - interval '5 days') * 1e6)::bigint)`.execute(
    db.kysely,
  );
  await becomes(mine('backup.old', 'the newest backup is 5 days old'), mine('disk.low', 'fuller'));
  await sql`update last_backup set at_us = (extract(epoch from now()) * 1e6)::bigint`.execute(db.kysely);
  seen = [];
  await becomes();
  ending.abort();
  await running;
});
