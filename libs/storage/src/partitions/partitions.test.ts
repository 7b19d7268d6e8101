import { dayUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { goodCheck } from '@vantage/testing/good-check';
import { useDatabase } from '@vantage/testing/use-database';
import { expect, test } from 'vitest';
import { createPartitions, type Db, type Row } from '../index.ts';
import { daysWanted, namesToDrop, partitionOf } from './partition-days.ts';

const log = createLog('partitions test', 'silent');
/** Noon of a UTC day. */
const noonUs = Date.UTC(2027, 2, 14, 12) * 1000;
let db: Db;

useDatabase((opened) => {
  db = opened;
});

function checkAt(startUs: number): Omit<Row<'checks'>, 'extended'> {
  const { extended: _, ...check } = goodCheck(startUs);
  return check;
}

test('every day of the retention and the next two have a partition, and two controllers make none twice', async () => {
  const partitions = createPartitions({ db, clock: createFakeClock(noonUs), log, retentionDays: 3 });
  await Promise.all([partitions.ensure(), partitions.ensure()]);
  const days = daysWanted(noonUs, 3);
  expect(days).toHaveLength(6);
  expect(days.every((day) => day % dayUs === 0)).toBe(true);
  const checks = [checkAt(days[0] ?? 0), checkAt((days[5] ?? 0) + dayUs - 1)];
  await db.kysely.insertInto('checks').values(checks).execute();
});

test('a partition is dropped when its end is older than the retention, not before', async () => {
  const names = daysWanted(noonUs, 3).map((day) => partitionOf(day).name);
  expect(namesToDrop(names, noonUs, 3)).toEqual([]);
  expect(namesToDrop(names, noonUs + dayUs, 3)).toEqual(names.slice(0, 1));
  expect(namesToDrop(names, noonUs + 60 * dayUs, 3)).toEqual(names.slice(0, 2));
  const clock = createFakeClock(noonUs + 2 * dayUs);
  const partitions = createPartitions({ db, clock, log, retentionDays: 3 });
  expect(await partitions.drop(clock.nowUs())).toEqual(names.slice(0, 2));
  expect(await partitions.drop(clock.nowUs())).toEqual([]);
});
