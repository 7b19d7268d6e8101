import { type DeviceStatus, dayUs, hourUs } from '@vantage/domain';
import { agentStateAt, type Db, startOfDay } from '@vantage/storage';
import { deviceGroups } from '@vantage/storage/device-groups';
import { statusSql } from '@vantage/storage/device-status';
import { sql } from 'kysely';

type MetricsReader = Pick<Db, 'kysely'>;

/** The number of devices of an account, by status. */
export async function countDevices({ kysely }: MetricsReader, accountNo: number, nowUs: number) {
  const { rows } = await sql<{ readonly status: DeviceStatus; readonly devices: number }>`
    with ${deviceGroups(accountNo, nowUs)}
    select status, sum(devices)::int as devices from (
      select status, devices from groups
      union all select g.status, -1 from apart a join groups g on g.location_nos = a.location_nos and g.base = a.base
      union all select status, 1 from apart) counted
    group by status`.execute(kysely);
  return rows;
}

/** The number of devices of an account in a retry sequence. */
export async function countRetrying({ kysely }: MetricsReader, accountNo: number): Promise<number> {
  const { rows } = await sql<{ readonly devices: number }>`
    select count(*)::int as devices from device_state where retrying and account_no = ${accountNo}::int`.execute(
    kysely,
  );
  return rows[0]?.devices ?? 0;
}

/** The checks that were ever stored for an account: their number and the sum of their times in milliseconds. */
export async function sumChecks({ kysely }: MetricsReader, accountNo: number) {
  const { rows } = await sql<{
    readonly method: string;
    readonly code: number;
    readonly location: string;
    readonly checks: number;
    readonly duration_ms: number;
  }>`
    select c.method, c.code, coalesce(l.name, '') as location, sum(c.checks)::float8 as checks, sum(c.duration_ms) as duration_ms
    from check_counts c left join locations l on l.location_no = c.location_no and l.account_no = c.account_no
    where c.account_no = ${accountNo}::int group by 1, 2, 3 order by 1, 2, 3`.execute(kysely);
  return rows;
}

/** The account's Locations by name, with the number of their devices. */
export async function readLocations({ kysely }: MetricsReader, accountNo: number, limit: number) {
  const { rows } = await sql<{ readonly name: string; readonly online: boolean; readonly devices: number }>`
    select l.name, l.online, coalesce(d.devices, 0)::int as devices
    from locations l left join (
      select location_no, sum(c.devices) as devices from device_counts c, unnest(c.location_nos) as location_no
      where c.account_no = ${accountNo}::int group by location_no) d using (location_no)
    where l.account_no = ${accountNo}::int and l.deleted_at is null order by l.name limit ${limit}`.execute(
    kysely,
  );
  return rows;
}

/** The account's agents that are not revoked, in the order of their creation. */
export async function readAgents(
  { kysely }: MetricsReader,
  accountNo: number,
  { nowUs, limit }: { readonly nowUs: number; readonly limit: number },
) {
  return kysely
    .selectFrom('agents as a')
    .innerJoin('locations as l', 'l.location_no', 'a.location_no')
    .leftJoin('agent_upgrades as u', 'u.agent_no', 'a.agent_no')
    .select(['a.agent_id', 'a.name', 'l.name as location', 'a.last_seen_us'])
    .select(agentStateAt<string>(nowUs).as('state'))
    .select('u.state as upgrade')
    .select([
      'a.clock_offset_us',
      'a.backlog_records',
      'a.lateness_p50_ms',
      'a.lateness_p99_ms',
      'a.checks_skipped',
    ])
    .where('a.account_no', '=', accountNo)
    .where('a.state', '<>', 'Revoked')
    .orderBy('a.agent_no')
    .limit(limit)
    .execute();
}

/**
 * Outages of an account: the number of open ones, the start of the oldest, and the number that began in the last 24
 * hours. A paused device has none.
 */
export async function countOutages({ kysely }: MetricsReader, accountNo: number, nowUs: number) {
  const { rows } = await sql<{
    readonly open: number;
    readonly oldest_us: number | null;
    readonly began: number;
  }>`
    select (count(*) filter (where i.from_us is not null))::int as open, min(i.from_us) as oldest_us,
      (select count(*)::int from events e where e.account_no = ${accountNo}::int and e.type = 'Down'
        and e.at_us > ${nowUs - dayUs}::bigint) as began
    from device_state s join devices d using (device_no)
    cross join lateral (
      select from_us, status from status_intervals where device_no = s.device_no and status <> 'Unknown'
      order by from_us desc limit 1) i
    where s.account_no = ${accountNo}::int and d.enabled and s.status <> 'Up' and i.status = 'Down'
      and not int8range(i.from_us, greatest(${nowUs}::bigint, i.from_us + 1)) <@ coalesce(
        (select range_agg(int8range(w.from_us, w.to_us)) from maintenance_windows w
          where w.device_no = s.device_no and w.to_us > i.from_us), '{}')`.execute(kysely);
  return rows[0] ?? { open: 0, oldest_us: null, began: 0 };
}

/** The number of open alerts of an account, by state. */
export async function countAlerts({ kysely }: MetricsReader, accountNo: number, nowUs: number) {
  const { rows } = await sql<{ readonly state: string; readonly alerts: number }>`
    select case when acknowledged_us is not null then 'Acknowledged' when snoozed_until_us > ${nowUs}::bigint then 'Snoozed'
      else 'Open' end as state, count(*)::int as alerts
    from alerts where account_no = ${accountNo}::int and closed_us is null group by 1`.execute(kysely);
  return rows;
}

/** Twice the longest Frequency. */
const recentUs = 2 * hourUs;

/**
 * The account's devices in the order of their creation, with their status and their latest check of the last two hours.
 * The statement names the day of the bound as a literal too, so that a generic plan has only the partitions of these
 * days.
 */
export async function readDevices(
  { kysely }: MetricsReader,
  accountNo: number,
  { nowUs, limit }: { readonly nowUs: number; readonly limit: number },
) {
  const { status, sinceUs, joins } = statusSql(nowUs);
  const { rows } = await sql<{
    readonly device_id: string;
    readonly short_name: string;
    readonly method: string;
    readonly status: DeviceStatus;
    readonly since_us: number;
    readonly check_end_us: number | null;
    readonly code: number | null;
    readonly duration_ms: number | null;
  }>`
    select d.device_id, d.short_name, d.method, ${status} as status, ${sinceUs} as since_us,
      c.end_us as check_end_us, c.code, c.duration_ms
    from (select * from devices where account_no = ${accountNo}::int order by device_no limit ${limit}) d ${joins}
    left join lateral (
      select end_us, code, (dns_ms + connect_ms + ssl_ms + ttfb_ms + ttlb_ms)::float8 as duration_ms
      from checks where device_no = d.device_no and start_us > ${nowUs - recentUs}::bigint
        and start_us >= ${sql.lit(startOfDay(nowUs - recentUs))} order by start_us desc, agent_no desc limit 1) c on true
    order by d.device_no`.execute(kysely);
  return rows;
}
