import { dayUs, hourUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createPartitions, type Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { goodCheck } from '@vantage/testing/good-check';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { insertChecks } from '../ingest/insert-checks.ts';
import { addDirtyHours, readRetired } from './progress.ts';
import { retireDays, retiredTo } from './retire-days.ts';
import { createRollUp } from './rollup.ts';

const log = createLog('retire days test', 'silent');
const nowUs = Date.UTC(2027, 2, 14, 12) * 1000;
const clock = createFakeClock(nowUs);
const today = nowUs - 12 * hourUs;
const retentionDays = 3;
const retainedUs = today - retentionDays * dayUs;
let db: Db;

useDatabase(async (opened) => {
  db = opened;
  await createPartitions({ db, clock, log, retentionDays: 5 }).ensure();
});

beforeEach(async () => {
  await sql`delete from job_cursors`.execute(db.kysely);
  await sql`delete from rollup_dirty`.execute(db.kysely);
});

test.each([
  ['all days before the retention', { oldestUs: today - 4 * dayUs, waitsUs: undefined }, retainedUs],
  [
    'two days beyond the oldest at most',
    { oldestUs: today - 99 * dayUs, waitsUs: undefined },
    today - 97 * dayUs,
  ],
  ['no day that has not passed the retention', { oldestUs: today, waitsUs: undefined }, retainedUs],
  [
    'no day with an hour that waits',
    { oldestUs: today - 4 * dayUs, waitsUs: today - 4 * dayUs + hourUs },
    today - 4 * dayUs,
  ],
  [
    'a day whose hour waits for two days more',
    { oldestUs: today - 8 * dayUs, waitsUs: today - 8 * dayUs },
    today - 6 * dayUs,
  ],
])('%s', (_what, facts, expected) => {
  expect(retiredTo({ retainedUs, ...facts })).toBe(expected);
});

test('the cursor moves forward with the days that may be deleted, and stays when the retention grows', async () => {
  const retire = (days: number) => retireDays(db.kysely, { nowUs, retentionDays: days });
  expect(await retire(4)).toBe(nowUs);
  expect(await readRetired(db.kysely)).toBe(today - 4 * dayUs);
  expect(await retire(6)).toBe(nowUs);
  expect(await readRetired(db.kysely)).toBe(today - 4 * dayUs);
  const waitsUs = today - 4 * dayUs + 5 * hourUs;
  await addDirtyHours(db.kysely, [waitsUs]);
  expect(await retire(3), 'what is deleted waits for the roll-up').toBe(today - 4 * dayUs + 3 * dayUs);
  expect(await readRetired(db.kysely)).toBe(today - 4 * dayUs);
  await createRollUp({ db, clock, log }).run();
  expect(await retire(3)).toBe(nowUs);
  expect(await readRetired(db.kysely)).toBe(retainedUs);
});

test('the sums of a retired day stay as they are, whatever is left of its checks', async () => {
  const rows = createFixtures(db.kysely);
  const deviceNo = await rows.device(await rows.account(), []);
  const startUs = today - 4 * dayUs + 5 * hourUs;
  await insertChecks(
    db.kysely,
    [0, 1, 2].map((i) => goodCheck(startUs + i, { device_no: deviceNo })),
  );
  const rollUp = createRollUp({ db, clock, log });
  await rollUp.run();
  const counts = async () => {
    const found = await db.kysely
      .selectFrom('rollup_hourly')
      .select('checks')
      .where('device_no', '=', deviceNo)
      .execute();
    return found.map(({ checks }) => checks);
  };
  expect(await counts()).toEqual([3]);
  await retireDays(db.kysely, { nowUs, retentionDays });
  await sql`delete from check_rows where start_us = ${startUs}`.execute(db.kysely);
  await addDirtyHours(db.kysely, [startUs - (startUs % hourUs)]);
  expect(await rollUp.run()).toBe(1);
  expect(await counts()).toEqual([3]);
});
