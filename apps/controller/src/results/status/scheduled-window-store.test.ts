import { newId } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { staleDevices } from './scheduled-window-store.ts';

let db: Db;
useDatabase((opened) => {
  db = opened;
});

/** Devices of an account with a maintenance schedule whose windows were not made yet. */
async function scheduled(accountNo: number, count: number): Promise<readonly number[]> {
  const { rows } = await sql<{ device_no: number }>`
    with schedule as (
      insert into mschedules (mschedule_id, account_no, name, timezone, start_local, duration_s)
      values (${newId()}, ${accountNo}, 'Nightly', 'UTC', '2026-11-29T00:00:00', 3600) returning mschedule_no)
    insert into devices (device_id, account_no, mschedule_no, method, url, sealed, short_name, frequency_min, timeout_s,
      retries, retry_delay_s, locations_given, changed_us, created_us, updated_us)
    select ${newId()} || n, ${accountNo}::int, mschedule_no, 'TCP', '127.0.0.1:9', '', 'device', 1, 10, 2, 1, true, 1, 1, 1
    from schedule, generate_series(1, ${count}::int) n returning device_no`.execute(db.kysely);
  return rows.map(({ device_no }) => device_no);
}

test('many devices of one account whose windows are made let those of another account come first', async () => {
  const fixtures = createFixtures(db.kysely);
  await scheduled(await fixtures.account(), 600);
  const own = await scheduled(await fixtures.account(), 2);
  const found = await staleDevices(db.kysely, { fromUs: 1, toUs: 2 }, undefined);
  expect(found).toHaveLength(500);
  expect(found.slice(0, 4).map(({ deviceNo }) => deviceNo)).toEqual(expect.arrayContaining([...own]));
});
