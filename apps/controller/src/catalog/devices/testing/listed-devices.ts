import { dayUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import type { FakeClock } from '@vantage/kernel/testing';
import { createPartitions, type Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { setUp } from '@vantage/testing/set-up';
import { sql } from 'kysely';

/**
 * Dresses the first devices of an account of `makeManyDevices` as in an installation: ids without a pattern, names,
 * a tag for all of them (`site`) and one for each rack, a check of the last minute with times of its own, and a day in
 * which one of 20 was Down for a quarter of an hour. No device has maintenance any more.
 */
export async function dressDevices(
  db: Db,
  clock: FakeClock,
  {
    accountNo,
    locationNo,
    count,
  }: { readonly accountNo: number; readonly locationNo: number; readonly count: number },
): Promise<void> {
  const nowUs = clock.nowUs();
  await createPartitions({
    db,
    clock,
    log: createLog('listed devices', 'silent'),
    retentionDays: 1,
  }).ensure();
  const { agentNo } = await createFixtures(db.kysely).agent(
    { accountNo, locationNo },
    { state: 'Connected' },
  );
  await setUp(db.kysely, async (connection) => {
    await sql`
      create temp table listed as select device_no, row_number() over (order by device_no) as n
      from devices where account_no = ${accountNo} order by device_no limit ${count}`.execute(connection);
    await sql`
      update devices d set device_id = md5(n::text) || left(md5('id ' || n), 16), short_name = 'web-' || n,
        full_name = 'Web server ' || n || ' in rack ' || n % 40, method = 'HTTP'
      from listed where d.device_no = listed.device_no`.execute(connection);
    await sql`
      update locations set name = (array['Berlin', 'Oslo', 'Lima'])[location_no % 3 + 1]
      where account_no = ${accountNo}`.execute(connection);
    await sql`
      insert into tags (tag_id, account_no, name)
      select md5(name) || left(md5('id ' || name), 16), ${accountNo}::int, name
      from (select 'site' union all select 'site/rack-' || n from generate_series(0, 39) n) named(name)`.execute(
      connection,
    );
    await sql`
      insert into device_tags (tag_no, device_no)
      select t.tag_no, l.device_no from listed l join tags t on t.account_no = ${accountNo}
        and t.name in ('site', 'site/rack-' || l.n % 40)`.execute(connection);
    await addDay(connection, { agentNo, locationNo, nowUs });
  });
}

/** Gives the devices of the table `listed` a check of the last minute, and statuses of an agent that sees them. */
async function addDay(
  connection: Db['kysely'],
  {
    agentNo,
    locationNo,
    nowUs,
  }: { readonly agentNo: number; readonly locationNo: number; readonly nowUs: number },
): Promise<void> {
  await sql`
      insert into checks (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
        dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result)
      select device_no, ${nowUs}::bigint - n * 7919 % 60000 * 1000, ${agentNo}::int, ${locationNo}::int, ${nowUs}::bigint, ${nowUs}::bigint,
        1, 0, 1, 0, 0, 1.5, n % 97 / 10.0, n % 89 / 10.0, n * 7919 % 2003 / 10.0, n % 31 / 10.0, 5000, '200 OK'
      from listed`.execute(connection);
  await sql`delete from maintenance_windows`.execute(connection);
  await sql`
      insert into assignment_spans (device_no, agent_no, location_no, from_us, rotation_index, rotation_size, retries_locally, run_immediately)
      select device_no, ${agentNo}::int, ${locationNo}::int, ${nowUs - 40 * dayUs}::bigint, 0, 1, true, true from listed`.execute(
    connection,
  );
  await sql`insert into coverage values (${agentNo}::int, ${nowUs - 40 * dayUs}::bigint, ${nowUs}::bigint)`.execute(
    connection,
  );
  await sql`
      insert into status_intervals (device_no, from_us, status)
      select device_no, ${nowUs}::bigint - minutes_ago * 60000000::bigint, status from listed,
        lateral (values (43200, 'Up'), (n % 1400 + 20, 'Down'), (n % 1400 + 5, 'Up')) spans(minutes_ago, status)
      where status = 'Up' and minutes_ago = 43200 or n % 20 = 0`.execute(connection);
}
