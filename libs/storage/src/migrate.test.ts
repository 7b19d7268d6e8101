import { createLog } from '@vantage/kernel';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDb } from './db.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

// Rows that age are found by the index of their age. A bigint that is compared with a numeric uses none.
test('no function of the database compares microseconds with a number of another type', async () => {
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ name: string; text: string }>(
      `select proname as name, prosrc as text from pg_proc where pronamespace = current_schema()::regnamespace`,
    ),
  );
  expect(rows.length).toBeGreaterThan(10);
  const wrong = rows.filter(({ text }) => /_us\s*(?:[<>]=?|=)\s*extract\(/.test(text));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test('checks that waited while a worker was away become rows, each once, with their sums; packed days are known by device', async () => {
  await using database = await createEmptyDatabase();
  const log = createLog('migration test', 'silent');
  const db = await createDb({ connection: { url: database.url }, log });
  try {
    await db.migrate('0226-programs');
    const dayUs = Date.UTC(2026, 0, 2) * 1000;
    const held = (startUs: number, more = '{}') =>
      sql`
      insert into held_checks select device_no, ${startUs}, 1, jsonb_build_object('device_no', device_no, 'start_us', ${startUs}::bigint,
        'agent_no', 1, 'location_no', 1, 'end_us', ${startUs}::bigint + 7000, 'arrived_us', ${startUs}::bigint + 9000, 'revision', 1,
        'attempt', 0, 'code', 2, 'perf', 2, 'block_ms', 0, 'dns_ms', 0, 'connect_ms', 3, 'ssl_ms', 0, 'ttfb_ms', 4, 'ttlb_ms', 0,
        'data_size', 0, 'check_result', 'no answer') || ${more}::jsonb from devices`.execute(db.kysely);
    for (const statement of [
      `insert into accounts (account_id, name, timezone) values ('a', 'one', 'UTC')`,
      `insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries, retry_delay_s,
         locations_given, changed_us, created_us, updated_us) select 'd', account_no, 'TCP', 'a:1', '', 'one', 1, 5, 1, 10, true, 1, 1, 1
         from accounts`,
      `create table checks_20260102 partition of check_rows for values from (${dayUs}) to (${dayUs + 86_400_000_000})`,
      `insert into check_rows (device_no, start_us, agent_no, location_no, arrived_after_us, revision, code)
         select device_no, ${dayUs + 1}, 1, 1, 0, 1, 2 from devices`,
      `insert into packed_checks select device_no, day, 1, day + 5, day + 7, 'of ' || day, '', '' from devices, unnest('{2,1}'::bigint[]) day`,
    ])
      await sql.raw(statement).execute(db.kysely);
    // One of a partition that is gone, one that is stored already, and two fresh ones.
    await held(dayUs - 1);
    await held(dayUs + 1);
    await held(dayUs + 2, JSON.stringify({ extended: '{"Traceroute": [1]}' }));
    await held(dayUs + 3, JSON.stringify({ extended: null, run_request_id: 'request' }));
    await db.migrate();
    const rowsOf = async (statement: string) => (await sql.raw(statement).execute(db.kysely)).rows;
    expect(
      await rowsOf(`select start_us - ${dayUs} as at, end_us - start_us as took, code, check_result, extended, run_request_id
        from checks order by start_us`),
    ).toEqual([
      { at: 1, took: 0, code: 2, check_result: '', extended: null, run_request_id: null },
      {
        at: 2,
        took: 7000,
        code: 2,
        check_result: 'no answer',
        extended: { Traceroute: [1] },
        run_request_id: null,
      },
      { at: 3, took: 7000, code: 2, check_result: 'no answer', extended: null, run_request_id: 'request' },
    ]);
    expect(await rowsOf('select method, code, checks, duration_ms from check_counts')).toEqual([
      { method: 'TCP', code: 2, checks: 2, duration_ms: 14 },
    ]);
    expect(await rowsOf('select bucket_us from rollup_dirty')).toEqual([{ bucket_us: dayUs }]);
    expect(await rowsOf('select first_us, last_us, last_result from packed_devices')).toEqual([
      { first_us: 6, last_us: 9, last_result: 'of 2' },
    ]);
  } finally {
    await db.close();
  }
});
