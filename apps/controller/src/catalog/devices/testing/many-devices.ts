import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { setUp } from '@vantage/testing/set-up';
import { sql } from 'kysely';

interface Facts {
  readonly accountNo: number;
  readonly foreignNo: number;
  readonly first: number;
  readonly second: number;
  readonly offline: number;
  readonly devices: number;
  readonly nowUs: number;
}

/**
 * Creates so many devices at three Locations, one of them offline; a tenth of them belongs to another account. One of
 * 50 is Down, and one of 100 in maintenance now. Returns the account, and the Location where most of its devices are.
 */
export async function makeManyDevices(
  { kysely }: Pick<Db, 'kysely'>,
  devices: number,
  nowUs: number,
): Promise<{ readonly accountNo: number; readonly locationNo: number }> {
  const make = createFixtures(kysely);
  const accountNo = await make.account();
  const foreignNo = await make.account();
  const times = { online_since_us: nowUs - 9e11, offline_since_us: nowUs - 9e11 };
  const first = await make.location(accountNo, { ...times, online: true });
  const second = await make.location(accountNo, { ...times, online: true });
  const offline = await make.location(accountNo, { ...times, online: false });
  await setUp(kysely, (connection) =>
    fill(connection, { accountNo, foreignNo, first, second, offline, devices, nowUs }),
  );
  return { accountNo, locationNo: first };
}

async function fill(
  kysely: Db['kysely'],
  { accountNo, foreignNo, first, second, offline, devices, nowUs }: Facts,
): Promise<void> {
  await sql`
    insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries, retry_delay_s,
          locations_given, enabled, changed_us, created_us, updated_us)
        select i::text, case when i % 10 = 7 then ${foreignNo}::int else ${accountNo}::int end, case when i % 4 = 0 then 'PING' else 'TCP' end,
          'host' || i || '.example:9' || case when i % 2000 = 5 then 'qz' else '' end, '', 'd' || md5(i::text), 1, 10, 1, 10, true, true, 1, 1, 1
        from generate_series(1, ${devices}::int) i`.execute(kysely);
  // Most devices are at the first Location, some at two, and a tenth at one that is offline.
  await sql`
    insert into device_locations (device_no, location_no, rotation_index)
    select device_no, l, 0 from devices, unnest(case when device_no % 10 = 9 then array[${offline}::int]
      when device_no % 10 = 8 then array[${first}::int, ${second}::int] else array[${first}::int] end) l`.execute(
    kysely,
  );
  await sql`
    insert into device_state (device_no, account_no, location_nos, status, since_us, state)
    select device_no, account_no, array(select l.location_no from device_locations l where l.device_no = d.device_no order by 1),
      case when device_no % 50 = 3 then 'Down' else 'Up' end, ${nowUs - 1e12}::bigint + device_no::bigint * 7919 % 100000 * 1000000, '{}'
    from devices d`.execute(kysely);
  await sql`
    insert into maintenance_windows (device_no, from_us, to_us, end_notified)
    select device_no, ${nowUs}::bigint - span, ${nowUs}::bigint + 10 - span, span = 100 from devices, unnest(array[5, 100]) span
    where device_no % 100 = 1 or device_no % 5 = 0 and span = 100`.execute(kysely);
  await sql`vacuum analyze devices, device_texts, device_locations, device_state, maintenance_windows, device_counts`.execute(
    kysely,
  );
}
