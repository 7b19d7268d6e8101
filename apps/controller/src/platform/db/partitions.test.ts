import { dayUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { useDatabase } from '../../testing/use-database.ts';
import { createPartitions, type Db, type Row } from './index.ts';
import { daysWanted, namesToDrop, partitionOf } from './partitions.ts';

const log = createLog('partitions test', 'silent');
/** Noon of a UTC day. */
const noonUs = Date.UTC(2027, 2, 14, 12) * 1000;
let db: Db;

useDatabase((opened) => {
  db = opened;
});

function checkAt(startUs: number): Omit<Row<'checks'>, 'extended'> {
  return {
    device_no: 1,
    start_us: startUs,
    agent_no: 1,
    location_no: 1,
    end_us: startUs,
    arrived_us: startUs,
    revision: 1,
    attempt: 0,
    code: 1,
    perf: 0,
    block_ms: 0,
    dns_ms: 1,
    connect_ms: 2,
    ssl_ms: 3,
    ttfb_ms: 4,
    ttlb_ms: 0,
    data_size: 0,
    check_result: 'ok',
    retry_id: null,
    run_request_id: null,
    behind_anchor: null,
  };
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
